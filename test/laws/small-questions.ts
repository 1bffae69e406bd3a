/** Small questions of every mode, on machines of both kinds: what an answer says of its plan is replayed on them. */
import fc from 'fast-check'
import { spelledOut } from '../../src/model/spelling.ts'
import type { Transformer } from '../../src/model/transformer.ts'
import type { PhaseProblem, Problem } from '../../src/problem.ts'
import { generation, inferenceProblem, prompts } from '../inference-problem.ts'
import { problem } from '../problem.ts'

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

export const inferenceQuestions: fc.Arbitrary<PhaseProblem> = fc
  .record({
    model: smallModels,
    on: smallMachines,
    assumptions: bases,
    workload: fc.constantFrom(
      generation(1, 4096),
      generation(64, 4096),
      generation(1000, 1024),
      prompts(1, 512),
      prompts(8, 8192),
    ),
  })
  .map(({ on, ...rest }) => inferenceProblem({ ...on, ...rest, top: 1 }) as PhaseProblem)
