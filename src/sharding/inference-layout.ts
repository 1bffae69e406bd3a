/**
 * The components of a layer under inference layouts, as tables (Pope et al. 2022, "Efficiently Scaling Transformer
 * Inference", arXiv 2211.05102; "How To Scale Your Model", Inference). B sequences with T new positions each meet caches
 * of S positions.
 *
 *   projections of MLP, attention and unembedding
 *     1d             F and heads over every tensor chip (Megatron): gathers In, scatters Out
 *     2d             D over tensor2, F over tensor: sums the inner activations over tensor2 as well
 *     gathered       sequences over tensor2, the 2d weights gathered over it: for large prefills
 *     gathered-all   sequences over tensor and tensor2, weights gathered over both
 *   attention over the cache
 *     heads          a chip has whole key-value heads; beyond K chips they are replicated
 *     batch          a chip has some of the sequences: an AllToAll before and one after
 *     heads-batch    heads over tensor, sequences over tensor2
 *     sequence       a chip has some positions of every sequence; partial results are summed (flash decoding)
 *
 * Data replicates weights and shares out the sequences; context shares out the new positions and the cache.
 */
import type { Transformer } from '../model/transformer.ts'
import { type ArrayKind, type ShardedArray, shardedArray } from './array.ts'
import type { Component, Einsum } from './component.ts'

export const projectionLayouts = ['1d', '2d', 'gathered', 'gathered-all'] as const
export type ProjectionLayout = (typeof projectionLayouts)[number]

export const cacheLayouts = ['heads', 'batch', 'heads-batch', 'sequence'] as const
export type CacheLayout = (typeof cacheLayouts)[number]

/** Where the tokens, D and the inner dimension (F, heads or the vocabulary) lie under a projection layout. */
interface Projection {
  readonly tokens: string
  readonly stream: string
  readonly weightD: string
  readonly weightInner: string
  readonly inner: string
}

const projections: Readonly<Record<ProjectionLayout, Projection>> = {
  '1d': { tokens: 'B_R T_C', stream: 'D_YZ', weightD: 'D', weightInner: '_YZ', inner: '_YZ' },
  '2d': { tokens: 'B_R T_C', stream: 'D_YZ', weightD: 'D_Z', weightInner: '_Y', inner: '_YZ' },
  gathered: { tokens: 'B_RZ T_C', stream: 'D_Y', weightD: 'D_Z', weightInner: '_Y', inner: '_Y' },
  'gathered-all': { tokens: 'B_RYZ T_C', stream: 'D', weightD: 'D_Z', weightInner: '_Y', inner: '' },
}

/** How queries, caches, scores and results lie while attention runs. */
interface Cache {
  readonly sequences: string
  readonly heads: string
  readonly positions: string
  /** Partial results are scattered over heads as they are summed. */
  readonly resultHeads: string
}

const caches: Readonly<Record<CacheLayout, Cache>> = {
  heads: { sequences: 'B_R', heads: '_YZ', positions: 'S_C', resultHeads: '_YZ' },
  batch: { sequences: 'B_RYZ', heads: '', positions: 'S_C', resultHeads: '' },
  'heads-batch': { sequences: 'B_RZ', heads: '_Y', positions: 'S_C', resultHeads: '_Y' },
  sequence: { sequences: 'B_R', heads: '', positions: 'S_CYZ', resultHeads: '_YZ' },
}

const gatedEinsums: readonly Einsum[] = [
  { out: 'Gate', left: 'In', right: 'W_gate', kind: 'matmul' },
  { out: 'Up', left: 'In', right: 'W_in', kind: 'matmul' },
  { out: 'Tmp', left: 'Gate', right: 'Up', kind: 'elementwise' },
  { out: 'Out', left: 'Tmp', right: 'W_out', kind: 'matmul' },
]

const plainEinsums: readonly Einsum[] = [
  { out: 'Tmp', left: 'In', right: 'W_in', kind: 'matmul' },
  { out: 'Out', left: 'Tmp', right: 'W_out', kind: 'matmul' },
]

export function inferenceMlp(layout: ProjectionLayout, gated: boolean): Component {
  const { tokens, stream, weightD, weightInner, inner } = projections[layout]
  const hidden = `${tokens} F${inner}`
  const into = `${weightD} F${weightInner}`
  const gate = gated
    ? { ...table('activation', { Gate: hidden, Up: hidden }), ...table('weight', { W_gate: into }) }
    : {}
  return {
    name: 'mlp',
    arrays: {
      ...table('activation', { In: `${tokens} ${stream}`, Tmp: hidden, Out: `${tokens} ${stream}` }),
      ...gate,
      ...table('weight', { W_in: into, W_out: `F${weightInner} ${weightD}` }),
    },
    einsums: gated ? gatedEinsums : plainEinsums,
  }
}

const attentionEinsums: readonly Einsum[] = [
  { out: 'Q', left: 'In', right: 'W_Q', kind: 'matmul' },
  { out: 'K', left: 'In', right: 'W_K', kind: 'matmul' },
  { out: 'V', left: 'In', right: 'W_V', kind: 'matmul' },
  { out: 'Query', left: 'Q', right: 'Q', kind: 'reshard' },
  { out: 'NewKeys', left: 'K', right: 'K', kind: 'reshard' },
  { out: 'NewValues', left: 'V', right: 'V', kind: 'reshard' },
  { out: 'Scores', left: 'Query', right: 'Keys', kind: 'attention' },
  { out: 'Result', left: 'Scores', right: 'Values', kind: 'attention' },
  { out: 'Att', left: 'Result', right: 'Result', kind: 'reshard' },
  { out: 'Out', left: 'Att', right: 'W_O', kind: 'matmul' },
]

export function inferenceAttention(projection: ProjectionLayout, layout: CacheLayout): Component {
  const { tokens, stream, weightD, weightInner, inner } = projections[projection]
  const { sequences, heads, positions, resultHeads } = caches[layout]
  const shared = `${tokens} N:K${inner} H`
  const cache = `${sequences} ${positions} N:K${heads} H`
  const entry = `${sequences} T_C N:K${heads} H`
  // Scores of a sequence-sharded cache lie as its positions do; over context the keys are gathered to the queries.
  const scored = layout === 'sequence' ? 'S_YZ' : 'S'
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        In: `${tokens} ${stream}`,
        Q: `${tokens} N${inner} H`,
        K: shared,
        V: shared,
        Query: `${sequences} T_C N${heads} H`,
        NewKeys: entry,
        NewValues: entry,
        Result: `${sequences} T_C N${resultHeads} H`,
        Att: `${tokens} N${inner} H`,
        Out: `${tokens} ${stream}`,
      }),
      ...table('cache', { Keys: cache, Values: cache }),
      ...table('scores', { Scores: `${sequences} T_C ${scored} N${heads}` }),
      ...table('weight', {
        W_Q: `${weightD} N${weightInner} H`,
        W_K: `${weightD} N:K${weightInner} H`,
        W_V: `${weightD} N:K${weightInner} H`,
        W_O: `N${weightInner} H ${weightD}`,
      }),
    },
    einsums: attentionEinsums,
  }
}

/** Attention and MLP on one input, their outputs summed before one reduction (PaLM): one gather and one scatter for both. */
export function inferenceBlock(projection: ProjectionLayout, layout: CacheLayout, gated: boolean): Component {
  const parts = [inferenceAttention(projection, layout), inferenceMlp(projection, gated)]
  return {
    name: 'block',
    arrays: Object.assign({}, ...parts.map((part) => part.arrays)),
    einsums: parts.flatMap((part) => part.einsums),
  }
}

/** Of the last position of each sequence; sampling is left out. */
export function inferenceUnembedding(layout: ProjectionLayout): Component {
  const { tokens, stream, weightD, weightInner, inner } = projections[layout]
  return {
    name: 'unembedding',
    arrays: {
      ...table('activation', { In: `${tokens} ${stream}`, Logits: `${tokens} V${inner}` }),
      ...table('weight', { W_U: `${weightD} V${weightInner}` }),
    },
    einsums: [{ out: 'Logits', left: 'In', right: 'W_U', kind: 'matmul' }],
  }
}

/** The table has D over the tensor chips: a look-up needs no communication, and gives the stream of 1d and 2d. */
export function inferenceEmbedding(): Component {
  return {
    name: 'embedding',
    arrays: {
      ...table('scores', { OneHot: 'B_R T_C V' }),
      ...table('activation', { Out: 'B_R T_C D_YZ' }),
      ...table('weight', { W_E: 'V D_YZ' }),
    },
    einsums: [{ out: 'Out', left: 'OneHot', right: 'W_E', kind: 'lookup' }],
  }
}

/** Layouts of one component: each has a name, and the table that it stands for. */
export interface InferenceLayout {
  readonly name: string
  readonly component: Component
}

/** Every layout of each component of a layer, in the order in which they run. */
export function layerLayouts(model: Transformer): readonly (readonly InferenceLayout[])[] {
  const attentions = (table: (projection: ProjectionLayout, cache: CacheLayout) => Component) =>
    projectionLayouts.flatMap((projection) =>
      cacheLayouts.map((cache) => ({ name: `${projection}/${cache}`, component: table(projection, cache) })),
    )
  if (model.parallelBlocks) {
    return [attentions((projection, cache) => inferenceBlock(projection, cache, model.gatedMlp))]
  }
  return [
    attentions(inferenceAttention),
    projectionLayouts.map((name) => ({ name, component: inferenceMlp(name, model.gatedMlp) })),
  ]
}

export function unembeddingLayouts(): readonly InferenceLayout[] {
  return projectionLayouts.map((name) => ({ name, component: inferenceUnembedding(name) }))
}

function table(kind: ArrayKind, shardings: Readonly<Record<string, string>>): Record<string, ShardedArray> {
  const arrays = Object.entries(shardings).map(([name, notation]) => [
    name,
    shardedArray(name, kind, notation),
  ])
  return Object.fromEntries(arrays)
}
