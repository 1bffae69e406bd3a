import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recomputedArrays } from '../../../src/cost/memory/recomputation.ts'
import { transformer } from '../../../src/model/architecture.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { asRun, policyNamed, policyRows, recomputeEverything } from '../../../src/recipe/policy.ts'
import type { Axis } from '../../../src/sharding/axis.ts'
import { type Component, restricted } from '../../../src/sharding/component.ts'
import { derive, movesOf, productsOf } from '../../../src/sharding/derive.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import {
  attention,
  embedding,
  mlp,
  residualShardings,
  unembedding,
} from '../../../src/sharding/tables/training-layout.ts'
import { forAll, law } from '../../law.ts'
import { layerComponents } from '../../rules-of-thumb.ts'
import { plain } from './simulated-mesh.ts'
import { type Run, run } from './simulated-training.ts'

const parallel = transformer('parallel', {
  layers: 1,
  dModel: 8,
  dFf: 8,
  heads: 4,
  kvHeads: 4,
  headDim: 1,
  vocab: 4,
  gatedMlp: false,
  tiedEmbeddings: true,
  parallelBlocks: true,
})

/** Experts, some of whose tokens all visit one, and latent attention with a low rank for queries or none. */
const [latent, directLatent] = [4, null].map((queryRank) =>
  spelledOut('latent', {
    layers: 1,
    dModel: 8,
    dFf: 8,
    heads: 4,
    vocab: 4,
    gatedMlp: true,
    tiedEmbeddings: false,
    moe: { experts: 4, activeExperts: 2, dFfExpert: 8, sharedExperts: queryRank === null ? 0 : 1 },
    attention: {
      kind: 'mla',
      mla: { queryRank, keyValueRank: 4, nopeHeadDim: 2, ropeHeadDim: 2, valueHeadDim: 2 },
    },
  }),
) as [Transformer, Transformer]

/** One head of keys for four groups of heads, and pools in some of the layers. */
const compressed = spelledOut('compressed', {
  ...{ layers: 4, dModel: 8, dFf: 8, heads: 8, kvHeads: 1, headDim: 2, vocab: 4 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
  attention: {
    compressed: {
      ...{ queryRank: 4, outputGroups: 4, outputRank: 2, window: 2 },
      ...{ sparse: { positions: 2, layers: 2 }, heavy: { positions: 4, layers: 1 } },
    },
    index: { positions: 2, heads: 2, headDim: 2 },
  },
})

const components = fc
  .constantFrom(...residualShardings)
  .chain((residual) =>
    fc.constantFrom<Component>(
      attention(residual),
      mlp(residual, true),
      mlp(residual, false),
      embedding(residual),
      unembedding(residual),
      ...layerComponents(parallel, residual),
      ...layerComponents(latent, residual),
      ...layerComponents(directLatent, residual),
      ...layerComponents(compressed, residual),
      ...layerComponents({ ...latent, gatedMlp: false }, residual),
    ),
  )

const composed = [
  'custom(key_proj=device value_proj=offload)',
  'custom(context=device mlpwi_1=device)',
  'custom(decoder_layer_input=offload out_proj=device moe_mlpwi_0=device kv_wa_proj=device)',
].flatMap((name) => policyNamed(name) ?? [])

/** Up to four axes larger than 1, any ZeRO stage that the axes allow, any policy. */
const derivations: fc.Arbitrary<() => Run> = fc
  .record({
    component: components,
    active: fc.subarray<Axis>(['data', 'fsdp', 'tensor', 'tensor2', 'context', 'expert'], { maxLength: 4 }),
    zeroStage: fc.constantFrom<ZeroStage>(0, 1, 2, 3),
    regatherActivations: fc.boolean(),
    policy: fc.constantFrom(...policyRows, ...composed, asRun(recomputeEverything, 'whole')),
  })
  .map(({ component, active, zeroStage, regatherActivations, policy }) => () => {
    const recomputed = recomputedArrays(component, policy)
    return run(restricted(component, active), { zeroStage, active, regatherActivations, recomputed })
  })

describe('a derivation, run with numbers on a tiny mesh', () => {
  law(
    'leaves every chip its part of the results and gradients that one chip would compute',
    75,
    [derivations],
    (made) => {
      const { outcomes } = made()
      expect(outcomes.length).toBeGreaterThan(2)
      for (const { name, is, should } of outcomes) {
        expect({ name, parts: plain(is) }).toEqual({ name, parts: plain(should) })
      }
    },
  )

  law('moves as many elements as it says', 75, [derivations], (made) => {
    const moved = made().comparisons.filter(({ what }) => what === 'elements moved')
    expect(moved.filter(({ said, done }) => said !== done)).toEqual([])
  })

  law('multiplies as often on each chip as it says', 75, [derivations], (made) => {
    const counted = made().comparisons.filter(({ what }) => what === 'flops')
    expect(counted.length).toBeGreaterThan(0)
    expect(counted.filter(({ said, done }) => said !== done)).toEqual([])
  })

  law('reads operands of the size that it says', 75, [derivations], (made) => {
    const read = made().comparisons.filter(({ what }) => what === 'operand')
    expect(read.filter(({ said, done }) => said !== done)).toEqual([])
  })

  law('writes results of the size that it says: partial sums are whole', 75, [derivations], (made) => {
    const written = made().comparisons.filter(({ what }) => what === 'result')
    expect(written.filter(({ said, done }) => said !== done)).toEqual([])
  })
})

/** Held apart, the arrays of 300 derivations were half of what a searcher kept. */
describe('what is derived', () => {
  it('holds equal arrays, dimensions and extents once, of however many tables and meshes', () => {
    const options = fc.record({
      component: components,
      active: fc.subarray<Axis>(['data', 'fsdp', 'tensor', 'context', 'expert'], { maxLength: 4 }),
      zeroStage: fc.constantFrom<ZeroStage>(0, 1, 2, 3),
    })
    forAll(20, [fc.array(options, { minLength: 2, maxLength: 4 })], (several) => {
      const all = several.map(({ component, active, zeroStage }) =>
        derive(restricted(component, active), { zeroStage, active, regatherActivations: true }),
      )
      const moves = all.flatMap(movesOf)
      const products = all.flatMap(productsOf)
      const arrays = [
        ...moves.map(({ volume }) => volume),
        ...products.flatMap(({ operands }) => operands.map(({ array }) => array)),
      ]
      const parts = [
        ...arrays,
        ...arrays.flatMap(({ dimensions }) => dimensions),
        ...[...moves.map(({ elements }) => elements), ...products.map(({ flops }) => flops)],
      ]
      expect(new Set(parts).size).toBe(new Set(parts.map((part) => JSON.stringify(part))).size)
    })
  })
})
