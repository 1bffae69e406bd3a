/** How tokens, weights and caches are sharded in inference, by the names of layouts (inference-layout.ts). */

/** Rows that read alike on a mesh are one layout there, of which the first counts. */
export const projectionLayouts = [
  ...(['1d', '2d', 'gathered', 'gathered-all'] as const),
  ...(['1d-sequences', 'copied-all', 'copied'] as const),
] as const
export type ProjectionLayout = (typeof projectionLayouts)[number]

/** The projection layout that every server offers, on every mesh. */
export const plainProjection: ProjectionLayout = projectionLayouts[0]

export const cacheLayouts = ['heads', 'batch', 'heads-batch', 'sequence'] as const
export type CacheLayout = (typeof cacheLayouts)[number]

/** The layout in which a server fills a cache, where it differs: positions are shared out once a prompt is through. */
export const filledFrom: Readonly<Partial<Record<CacheLayout, CacheLayout>>> = { sequence: 'heads' }

/** How the tokens, D and the inner dimension (F, heads or the vocabulary) are sharded under a projection layout. */
export interface Projection {
  /** Tokens of the residual stream between components, and its D. */
  readonly rest: string
  readonly stream: string
  /** Tokens as the matmuls take them, and their D. */
  readonly tokens: string
  readonly gatheredStream: string
  readonly weightD: string
  readonly weightInner: string
  readonly inner: string
  /** Low ranks, between two projections. */
  readonly rank: string
  readonly weightRank: string
  /** Heads of the weights between the latent space and heads, which no axis divides in D. */
  readonly latentHeads: string
}

const whole = { gatheredStream: 'D', weightD: 'D', rank: '', weightRank: '' } as const
const bySequences = { rest: 'B_REYZ T_C', stream: 'D' } as const

export const projections: Readonly<Record<ProjectionLayout, Projection>> = {
  '1d': {
    ...{ rest: 'B_RE T_C', stream: 'D_YZ', tokens: 'B_RE T_C' },
    ...{ ...whole, weightInner: '_YZ', inner: '_YZ', latentHeads: '_YZ' },
  },
  '2d': {
    ...{ rest: 'B_RE T_C', stream: 'D_YZ', tokens: 'B_RE T_C' },
    ...{ gatheredStream: 'D_Z', weightD: 'D_Z', weightInner: '_Y', inner: '_YZ' },
    ...{ rank: '_Z', weightRank: '_Z', latentHeads: '_YZ' },
  },
  gathered: {
    ...{ rest: 'B_REZ T_C', stream: 'D_Y', tokens: 'B_REZ T_C', gatheredStream: 'D' },
    ...{ weightD: 'D_Z', weightInner: '_Y', inner: '_Y', rank: '', weightRank: '_Z', latentHeads: '_YZ' },
  },
  'gathered-all': {
    ...{ ...bySequences, tokens: 'B_REYZ T_C', gatheredStream: 'D' },
    ...{ weightD: 'D_Z', weightInner: '_Y', inner: '', rank: '', weightRank: '_Z', latentHeads: '_YZ' },
  },
  '1d-sequences': {
    ...{ ...bySequences, tokens: 'B_RE T_C' },
    ...{ ...whole, weightInner: '_YZ', inner: '_YZ', latentHeads: '_YZ' },
  },
  'copied-all': {
    ...{ ...bySequences, tokens: 'B_REYZ T_C' },
    ...{ ...whole, weightInner: '', inner: '', latentHeads: '' },
  },
  copied: {
    ...{ ...bySequences, tokens: 'B_REZ T_C' },
    ...{ ...whole, weightInner: '_Y', inner: '_Y', latentHeads: '_Y' },
  },
}

/** How queries, caches, scores and results are sharded while attention runs. */
export interface Cache {
  readonly sequences: string
  readonly heads: string
  readonly positions: string
  /** Positions of the scores: those of a sequence-sharded cache stay where they are; over context the keys are gathered to the queries. */
  readonly scored: string
  /** Heads of the result: partial results are scattered over heads as they are summed. */
  readonly resultHeads: string
}

export const caches: Readonly<Record<CacheLayout, Cache>> = {
  heads: { sequences: 'B_RE', heads: '_YZ', positions: 'S_C', scored: 'S', resultHeads: '_YZ' },
  batch: { sequences: 'B_REYZ', heads: '', positions: 'S_C', scored: 'S', resultHeads: '' },
  'heads-batch': { sequences: 'B_REZ', heads: '_Y', positions: 'S_C', scored: 'S', resultHeads: '_Y' },
  sequence: { sequences: 'B_RE', heads: '', positions: 'S_CYZ', scored: 'S_YZ', resultHeads: '_YZ' },
}

/** What a projection layout goes with. */
interface ProjectionUse {
  /** Tokens that a chip norms, where results are summed onto all chips that share out D or heads. */
  readonly normed: string
  /** Caches that attention may have beside such weights. */
  readonly caches: readonly CacheLayout[]
  /** Whether chips that share out sequences each have the weights. */
  readonly copied: boolean
  /** Whether it treats tensor and tensor2 alike: shards over both at once or over neither, or gathers weights over both, however they are sharded. */
  readonly joinsTensors: boolean
  /** Whether weights lie whole in D, and are not gathered: as all servers have them. */
  readonly wholeColumns: boolean
}

const any = { caches: cacheLayouts, copied: false, joinsTensors: false, wholeColumns: false } as const
const copied = { ...any, copied: true, wholeColumns: true } as const

const uses: Readonly<Record<ProjectionLayout, ProjectionUse>> = {
  '1d': { ...any, normed: 'B_RE', joinsTensors: true, wholeColumns: true },
  '2d': { ...any, normed: 'B_RE' },
  gathered: { ...any, normed: 'B_REZ' },
  'gathered-all': { ...any, normed: 'B_REYZ', joinsTensors: true },
  '1d-sequences': { ...any, caches: [], normed: 'B_REYZ', joinsTensors: true, wholeColumns: true },
  'copied-all': { ...copied, caches: ['batch'], normed: 'B_REYZ', joinsTensors: true },
  copied: { ...copied, caches: ['heads-batch'], normed: 'B_REZ' },
}

export function projectionUse(projection: ProjectionLayout): ProjectionUse {
  return uses[projection]
}
