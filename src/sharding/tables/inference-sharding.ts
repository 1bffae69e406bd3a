/** How tokens, weights and caches are sharded in inference, by the names of layouts (inference-layout.ts). */
export const projectionLayouts = ['1d', '2d', 'gathered', 'gathered-all'] as const
export type ProjectionLayout = (typeof projectionLayouts)[number]

/** The projection layout that every server offers, on every mesh. */
export const plainProjection: ProjectionLayout = projectionLayouts[0]

export const cacheLayouts = ['heads', 'batch', 'heads-batch', 'sequence'] as const
export type CacheLayout = (typeof cacheLayouts)[number]

/** The layout in which a server fills a cache, where it differs: positions are shared out once a prompt is through. */
export const filledFrom: Readonly<Partial<Record<CacheLayout, CacheLayout>>> = { sequence: 'heads' }

/** How the tokens, D and the inner dimension (F, heads or the vocabulary) are sharded under a projection layout. */
export interface Projection {
  readonly tokens: string
  readonly stream: string
  /** D of the tokens as the matmuls take them. */
  readonly gatheredStream: string
  readonly weightD: string
  readonly weightInner: string
  readonly inner: string
  /** Low ranks, between two projections. */
  readonly rank: string
  readonly weightRank: string
}

export const projections: Readonly<Record<ProjectionLayout, Projection>> = {
  '1d': {
    ...{ tokens: 'B_RE T_C', stream: 'D_YZ', gatheredStream: 'D' },
    ...{ weightD: 'D', weightInner: '_YZ', inner: '_YZ', rank: '', weightRank: '' },
  },
  '2d': {
    ...{ tokens: 'B_RE T_C', stream: 'D_YZ', gatheredStream: 'D_Z' },
    ...{ weightD: 'D_Z', weightInner: '_Y', inner: '_YZ', rank: '_Z', weightRank: '_Z' },
  },
  gathered: {
    ...{ tokens: 'B_REZ T_C', stream: 'D_Y', gatheredStream: 'D' },
    ...{ weightD: 'D_Z', weightInner: '_Y', inner: '_Y', rank: '', weightRank: '_Z' },
  },
  'gathered-all': {
    ...{ tokens: 'B_REYZ T_C', stream: 'D', gatheredStream: 'D' },
    ...{ weightD: 'D_Z', weightInner: '_Y', inner: '', rank: '', weightRank: '_Z' },
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
