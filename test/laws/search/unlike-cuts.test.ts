/** A cut of layers that differ has the stages that it has for its number of microbatches: what is in flight, and whether gradients are summed. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import { scheduleChoices } from '../../../src/search/layouts/choices.ts'
import { cutsOf, stageCuts } from '../../../src/search/stages/stage-cuts.ts'
import { unlikeCuts } from '../../../src/search/stages/unlike-cuts.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { trainingProblems } from '../../agree/training/problems.ts'
import { runs } from '../../runs.ts'

it('has what is in flight, and sums gradients, as any cut does', () => {
  const seen = { one: 0, several: 0, pipelined: 0 }
  fc.assert(
    fc.property(
      trainingProblems,
      fc.constantFrom(1, 2, 3, 8),
      fc.constantFrom(1, 2, 3, 4),
      (problem, microbatches, pipeline) => {
        const model = costModel(problem)
        if (cutsOf(model) !== 'unlike') return
        const mesh = { ...unitMesh, pipeline }
        const scale = createScale()
        setMesh(scale, mesh, model.extents, problem.assumptions)
        setBatch(scale, 1)
        const compute = computeNumbers(model, scale)
        for (const schedule of scheduleChoices(mesh, problem, microbatches)) {
          const cuts = stageCuts(model, pipeline, schedule, microbatches, compute)
          if (cuts?.kind !== 'unlike') continue
          for (const cut of unlikeCuts(model, pipeline, schedule)) {
            const own = cuts.byFloor.find(({ stageLayers }) => stageLayers === cut.stageLayers)?.groups()
            expect(own).toEqual(stageGroups(cut.stageLayers, schedule, microbatches, cut.compositions))
            seen[pipeline > 1 ? 'pipelined' : microbatches > 1 ? 'several' : 'one']++
          }
        }
      },
    ),
    { numRuns: runs(450) },
  )
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(5)
})
