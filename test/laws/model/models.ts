/** Random models of all kinds, in shapes small enough to count by hand. */
import fc from 'fast-check'
import { type Spelling, spelledOut } from '../../../src/model/spelling.ts'
import type { Transformer } from '../../../src/model/transformer.ts'

const size = (max: number) => fc.integer({ min: 1, max })

const dimensions = fc
  .record({
    layers: size(130),
    dModel: size(20_000),
    dFf: size(80_000),
    kvHeads: size(16),
    group: size(8),
    headDim: size(256),
    vocab: size(260_000),
    gatedMlp: fc.boolean(),
    tiedEmbeddings: fc.boolean(),
  })
  .map(({ group, ...shape }): Spelling => ({ heads: shape.kvHeads * group, ...shape }))

export const denseModels: fc.Arbitrary<Transformer> = dimensions.map((shape) => spelledOut('dense', shape))

export const windowedModels: fc.Arbitrary<Transformer> = fc
  .record({ shape: dimensions, window: size(1 << 17), globalEvery: fc.nat(12), kvShareGroup: size(4) })
  .map(({ shape, ...attention }) => spelledOut('windowed', { ...shape, attention }))

export const expertModels: fc.Arbitrary<Transformer> = fc
  .record({
    shape: dimensions,
    activeExperts: size(8),
    inactive: fc.nat(56),
    sharedExperts: fc.nat(2),
    dFfExpert: size(8192),
    every: size(4),
    denseLayers: fc.nat(3),
  })
  .map(({ shape, inactive, ...moe }) =>
    spelledOut('experts', { ...shape, moe: { ...moe, experts: moe.activeExperts + inactive } }),
  )

export const latentModels: fc.Arbitrary<Transformer> = fc
  .record({
    shape: dimensions,
    queryRank: fc.option(size(2048)),
    keyValueRank: size(1024),
    nopeHeadDim: size(256),
    ropeHeadDim: size(128),
    valueHeadDim: size(256),
    index: fc.option(
      fc.record({
        positions: size(4096),
        heads: size(64),
        headDim: size(256),
        firstLayers: fc.nat(3),
        every: size(4),
      }),
    ),
  })
  .map(({ shape: { kvHeads, headDim, ...shape }, index, ...mla }) => {
    const chosen = index && mla.queryRank !== null ? { index } : {}
    return spelledOut('latent', { ...shape, attention: { kind: 'mla', mla, ...chosen } })
  })

export const anyModels = fc.oneof(denseModels, windowedModels, expertModels, latentModels)
