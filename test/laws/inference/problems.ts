/** Random inference problems: small models on a few chips, for which a search and its laws are quick. */

import fc from 'fast-check'
import type { Architecture } from '../../../src/model/architecture.ts'
import type { AttentionPattern } from '../../../src/model/transformer.ts'
import type {
  GenerateWorkload,
  InferenceProblem,
  PhaseProblem,
  Precision,
  PrefillWorkload,
} from '../../../src/problem.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { generation, type InferenceOptions, inferenceProblem, prompts } from '../../inference-problem.ts'
import { whole } from '../../law.ts'

const patterns: fc.Arbitrary<AttentionPattern> = fc.record({
  window: fc.option(whole(1, 4096)),
  globalEvery: whole(0, 3),
  kvShareGroup: whole(1, 3),
  latent: fc.constant(null),
  index: fc.constant(null),
})

export const architectures: fc.Arbitrary<Architecture> = fc
  .record({
    layers: whole(1, 12),
    dModel: whole(1, 32).map((n) => 256 * n),
    dFf: whole(1, 64).map((n) => 512 * n),
    kvHeads: fc.constantFrom(1, 2, 3, 4, 8),
    group: fc.constantFrom(1, 2, 4, 8),
    headDim: fc.constantFrom(64, 128),
    vocab: whole(1000, 100_000),
    gatedMlp: fc.boolean(),
    tiedEmbeddings: fc.boolean(),
    parallelBlocks: fc.boolean(),
    attention: patterns,
  })
  .map(({ group, ...shape }) => ({ ...shape, heads: group * shape.kvHeads }))

const hardware = fc.constantFrom<Pick<InferenceOptions<never>, 'chip' | 'chips' | 'topology'>>(
  { chip: 'tpu-v5e', topology: [1, 1] },
  { chip: 'tpu-v5e', topology: [2, 2] },
  { chip: 'tpu-v5e', topology: [4, 4] },
  { chip: 'tpu-v5p', topology: [2, 2, 2] },
  { chip: 'tpu-v4', topology: [2, 2, 4] },
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 8 },
  { chip: 'h100-sxm', chips: 16 },
  { chip: 'a100-80g-sxm', chips: 8 },
)

const precisions: fc.Arbitrary<Partial<Precision>> = fc.record({
  weights: fc.constantFrom<ElementType>('bf16', 'int8', 'int4'),
  kvCache: fc.constantFrom<ElementType>('bf16', 'fp8'),
})

export const generateWorkloads: fc.Arbitrary<GenerateWorkload> = fc
  .record({ batch: whole(1, 300), context: whole(1, 20_000), share: fc.constantFrom(1, 0.7) })
  .map(({ batch, context, share }) =>
    generation(batch, context, { meanContextLength: Math.ceil(share * context) }),
  )

export const prefillWorkloads: fc.Arbitrary<PrefillWorkload> = fc
  .record({
    batch: whole(1, 20),
    length: whole(2, 10_000),
    cached: fc.constantFrom(0, 0, 0.5),
    chunks: whole(0, 3),
  })
  .map(({ batch, length, cached, chunks }) => {
    const cachedPrefixLength = Math.floor(cached * length)
    const chunkTokens = Math.ceil((length - cachedPrefixLength) / chunks)
    return prompts(batch, length, {
      cachedPrefixLength,
      ...(chunks > 0 ? { chunkTokens } : {}),
      ...(length % 3 === 0 ? { contextLength: 30 * length } : {}),
    })
  })

function problems<Workload extends GenerateWorkload | PrefillWorkload>(
  workload: fc.Arbitrary<Workload>,
): fc.Arbitrary<InferenceProblem<Workload>> {
  return fc
    .record({
      model: architectures,
      on: hardware,
      workload,
      precision: precisions,
      assumptions: fc.constantFrom<'book' | 'calibrated'>('book', 'calibrated'),
    })
    .map(({ on, ...rest }) => inferenceProblem({ ...on, ...rest, top: 8 }))
}

export const generateProblems = problems(generateWorkloads)
export const prefillProblems = problems(prefillWorkloads)

/** Both phases by their names. */
export const phases: readonly (readonly [name: string, problems: fc.Arbitrary<PhaseProblem>])[] = [
  ['generation', generateProblems],
  ['prefill', prefillProblems],
]
