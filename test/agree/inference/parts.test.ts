/**
 * The search of a phase on all chips and on fewer, against every part of the chips: every mesh, placement, offer and pass, without floors. Fields vary
 * that the problems of one phase leave alone: uneven choices, hosts, drafts, caps on sequences, chips that may work, and what lists distinguish.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { type Constraint, satisfies } from '../../../src/constraint.ts'
import { fewerChips } from '../../../src/hardware/cluster/fewer-chips.ts'
import { inferenceModel, inferenceOn } from '../../../src/inference/model.ts'
import type { InferenceCandidate, Phase } from '../../../src/inference/phase.ts'
import { searchPhaseParts } from '../../../src/inference/search-parts.ts'
import { candidatesAt, sitesOf } from '../../../src/inference/sites.ts'
import { servable } from '../../../src/launch/servable.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { runs } from '../../runs.ts'
import { phaseProblems } from './phase-problems.ts'

const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const assumptions: fc.Arbitrary<Partial<Assumptions>> = fc.record(
  {
    ...{ expertUnevenness: pick(0, 0.3, 1), choicesApart: fc.boolean(), dispatchComputeShare: pick(0, 0.3) },
    ...{ inferenceLayerHostSeconds: pick(0, 1e-4), inferenceSequenceOverheadSeconds: pick(0, 1e-5) },
    ...{ inferenceNarrowMatmulSeconds: pick(0, 2e-6), inferenceExpertLayerSeconds: pick(0, 2e-5) },
    ...{
      groupedMatmulSeconds: pick(0, 1e-5),
      inferenceHalfBytesShare: pick(0, 0.5),
      workspace: fc.boolean(),
    },
    frameworks: pick<Assumptions['frameworks']>(
      [],
      [],
      ['vllm'],
      ['vllm', 'sglang', 'tensorrt-llm', 'maxtext'],
    ),
  },
  { requiredKeys: ['frameworks'] },
)

const asked: fc.Arbitrary<PhaseProblem> = fc
  .record({
    base: phaseProblems,
    said: assumptions,
    chips: pick<Constraint | undefined>(undefined, undefined, { max: 6 }, { min: 2, max: 5 }, [2, 3, 4]),
    maxSequences: pick(undefined, 3, 64),
    speculative: pick(undefined, { draftCostRatio: 0.1, acceptance: 0.7 }),
    roomy: pick(1, 2, 6, 20),
  })
  .map(({ base, said, chips, maxSequences, speculative, roomy }) => {
    const generates = base.workload.mode === 'generate'
    return {
      ...base,
      top: 1,
      workload: {
        ...base.workload,
        ...(generates && maxSequences !== undefined ? { maxSequences } : {}),
        ...(generates && speculative !== undefined ? { speculative } : {}),
      },
      memoryBudget: roomy * base.memoryBudget,
      assumptions: { ...base.assumptions, ...said },
      constraints: { ...base.constraints, ...(chips === undefined ? {} : { chips }) },
    } as PhaseProblem
  })

/** Infinity where nothing fits. */
function bestOf(phase: Phase): number {
  const candidates = phase.meshes.allowed.flatMap((mesh) =>
    sitesOf(phase.bench, mesh, {}, phase.offers(mesh)).flatMap((site): readonly InferenceCandidate[] =>
      candidatesAt(phase, site),
    ),
  )
  return Math.min(Number.POSITIVE_INFINITY, ...candidates.map(({ score }) => score))
}

it('finds the best of all parts of the chips', () => {
  const seen = { whole: 0, fewer: 0, none: 0 }
  fc.assert(
    fc.property(asked, (problem) => {
      const { cluster, constraints, workload, objective, assumptions: said } = problem
      const served = (own: PhaseProblem) => (said.frameworks.length > 0 ? servable(own) : null)
      const model = inferenceModel(problem, served(problem))
      const [found] = searchPhaseParts(model, problem, { phaseOf, servable: served }).candidates
      const fillsAll = workload.batchSequences === 'max' && objective === 'latency'
      const parts = [cluster, ...(fillsAll ? [] : fewerChips(cluster))]
      const scores = parts
        .filter(({ chips }) => satisfies(chips, constraints.chips))
        .map((part) => {
          const own = { ...problem, cluster: part }
          return bestOf(phaseOf(inferenceOn(model, own, served(own)), own))
        })
      const best = Math.min(Number.POSITIVE_INFINITY, ...scores)
      if (!found || !Number.isFinite(best)) {
        expect([found?.score, best]).toEqual([undefined, Number.POSITIVE_INFINITY])
        seen.none++
        return
      }
      expect(Math.abs(found.score / best - 1)).toBeLessThan(1e-11)
      seen[found.cluster === cluster ? 'whole' : 'fewer']++
    }),
    { numRuns: runs(60) },
  )
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0)
})
