/** A worker runs for days, and models of the catalogue stay as long: what was computed from them for one request must not. */
import { expect, it } from 'vitest'
import { sweep } from '../../../api/worker/sweep.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { unlikeCuts } from '../../../src/search/stages/unlike-cuts.ts'
import { generation, inferenceProblem } from '../../inference-problem.ts'
import { problem } from '../../problem.ts'

/** What there still is of all of them, once nothing but caches may hold it. */
async function left(made: readonly WeakRef<object>[]): Promise<number> {
  // What was looked at in this turn of the event loop stays until its end.
  await new Promise((resolve) => setTimeout(resolve))
  sweep()
  return made.filter((each) => each.deref() !== undefined).length
}

const dense = { layers: 8, dModel: 1024, dFf: 4096, heads: 16, kvHeads: 4, headDim: 64, vocab: 32_000 }
const alike = { ...dense, gatedMlp: true, tiedEmbeddings: false }
const experts = { experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 1024, denseLayers: 1, every: 1 }

it('cuts of layers that differ, for sequences of ever other lengths', async () => {
  const asked = problem({
    model: { ...alike, experts },
    chip: 'h100-sxm',
    chips: 8,
    ...{ batchTokens: 65_536, sequenceLength: 4096 },
  })
  const model = costModel(asked)
  const schedule = { name: '1f1b', virtualStages: 1 } as const
  const cutsAt = (sequenceLength: number) => {
    const workload = { ...asked.workload, sequenceLength }
    return unlikeCuts({ problem: { ...model.problem, workload } }, 4, schedule)
  }
  const made = Array.from({ length: 3000 }, (_, at) => new WeakRef(cutsAt(1024 + at)))
  expect(await left(made)).toBeLessThanOrEqual(1000)
})

it('what is compiled of a model', async () => {
  const asked = inferenceProblem({ model: alike, chip: 'h100-sxm', chips: 8, workload: generation(8, 2048) })
  const made = Array.from({ length: 12 }, (_, at) => {
    const model = { ...asked.model, layers: asked.model.layers + at }
    return new WeakRef(inferenceModel({ ...asked, model }).components)
  })
  expect(await left(made)).toBeLessThanOrEqual(4)
})
