/** Small questions in every mode, on machines of both kinds, on which statements of answers are tested. */
import fc from 'fast-check'
import { spelledOut } from '../../../src/model/spelling.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { optimize } from '../../../src/optimize.ts'
import type { PhaseProblem, Problem } from '../../../src/problem.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { problem } from '../../problem.ts'

const shape = {
  ...{ dModel: 2048, dFf: 8192, heads: 16, kvHeads: 8, headDim: 128, vocab: 64_000 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
}

/** Layers that are alike, and such that are not. */
export const smallModels: fc.Arbitrary<Transformer> = fc.constantFrom(
  spelledOut('dense', { ...shape, layers: 12 }),
  spelledOut('sparse', {
    ...shape,
    layers: 9,
    moe: { experts: 16, activeExperts: 2, sharedExperts: 1, dFfExpert: 1024, denseLayers: 2 },
  }),
)

/** Heads of their own widths, and a cache without heads. */
const latentModel = spelledOut('latent', {
  ...{ layers: 6, dModel: 2048, dFf: 8192, heads: 16, vocab: 64_000, gatedMlp: true, tiedEmbeddings: false },
  attention: {
    kind: 'mla',
    mla: { queryRank: 768, keyValueRank: 512, nopeHeadDim: 128, ropeHeadDim: 64, valueHeadDim: 128 },
  },
  moe: { experts: 64, activeExperts: 8, dFfExpert: 1024 },
})

export const smallMachines = fc.constantFrom(
  { chip: 'h100-sxm', chips: 8 },
  { chip: 'h100-sxm', chips: 16 },
  { chip: 'a100-80g-sxm', chips: 16 },
  { chip: 'tpu-v5e', topology: [4, 4] },
  { chip: 'tpu-v5p', topology: [2, 2, 2], slices: 2 },
)

const bases = fc.constantFrom('calibrated' as const, 'calibrated' as const, 'book' as const)

interface Size {
  readonly sequences: number
  readonly sequenceLength: number
  readonly memoryFraction: number
}

function trainingOf(basis: typeof bases, size: fc.Arbitrary<Size>): fc.Arbitrary<Problem> {
  return fc
    .record({ model: smallModels, on: smallMachines, basis, size })
    .map(({ model, on, basis, size: { sequences, ...size } }) =>
      problem({
        ...on,
        ...size,
        model,
        batchTokens: sequences * size.sequenceLength,
        assumptions: { basis, frameworks: [], contextLayouts: ['gather', 'ring'] },
        constraints: { context: [1, 2], virtualStages: 1, microbatches: { max: 8 } },
        top: 1,
      }),
    )
}

export const trainingQuestions = trainingOf(
  bases,
  fc.constantFrom(
    { sequences: 64, sequenceLength: 1024, memoryFraction: 0.9 },
    { sequences: 96, sequenceLength: 8192, memoryFraction: 0.9 },
    { sequences: 128, sequenceLength: 8192, memoryFraction: 0.3 },
  ),
)

/** On the mesh of the best plan, with less memory than that takes: something has to be computed again, or nothing fits. */
export const tightQuestions: fc.Arbitrary<Problem> = fc
  .record({
    question: trainingQuestions.filter(({ assumptions }) => !assumptions.tokensDivideFreely),
    share: fc.constantFrom(0.7, 0.8, 0.9),
  })
  .map(({ question, share }) => {
    const constraints = { context: 1, pipeline: 1, tensor: 1, expert: 1, microbatches: 1 }
    const roomy = { ...question, constraints, memoryBudget: 1e15 }
    const [best] = optimize(roomy, solver).plans
    if (!best) return roomy
    const { mesh, zeroStage, memoryBytes } = best
    return {
      ...roomy,
      constraints: { ...mesh, zeroStage, microbatches: 1 },
      // The reserve is kept out of what a budget leaves of a chip: a budget below it has none.
      memoryBudget: share * (memoryBytes.total - memoryBytes.reserve),
    }
  })

export const inferenceQuestions: fc.Arbitrary<PhaseProblem> = fc
  .record({
    model: fc.oneof(smallModels, fc.constant(latentModel)),
    on: smallMachines,
    basis: bases,
    twoBatchOverlap: fc.boolean(),
    workload: fc.constantFrom(
      generation(1, 4096),
      generation(64, 4096),
      generation(1000, 1024),
      prompts(1, 512),
      prompts(8, 8192),
    ),
  })
  .map(
    ({ on, basis, twoBatchOverlap, ...rest }) =>
      inferenceProblem({
        ...on,
        ...rest,
        assumptions: { basis, twoBatchOverlap, searchWeightLayouts: true },
        top: 1,
      }) as PhaseProblem,
  )
