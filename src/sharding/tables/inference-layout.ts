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
 *     1d-sequences   weights as in 1d, but between components each tensor chip has sequences of its own: gathers these, scatters the sums
 *     copied-all     as that, and each chip has all weights (data-parallel attention of servers): moves nothing
 *     copied         as that in groups: F and heads over tensor, copied over tensor2
 *   attention over the cache
 *     heads          a chip has whole key-value heads; beyond K chips they are replicated
 *     batch          a chip has some of the sequences: an AllToAll before and one after
 *     heads-batch    heads over tensor, sequences over tensor2
 *     sequence       a chip has some positions of every sequence; partial results are summed (flash decoding)
 *
 * Data replicates weights and shares out the sequences; the expert axis does so for all that is not an expert. Context
 * shares out the new positions and the cache. Experts, latent attention and recurrences have tables of their own.
 */
import { denseLayers, expertLayers } from '../../model/expert-layers.ts'
import { hasRanks, mixingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import { table, weights } from '../array.ts'
import { besideEachOther, type Component, type Einsum } from '../component.ts'
import { inferenceCompressedAttention } from './inference-compressed-attention.ts'
import { inferenceExperts } from './inference-experts.ts'
import { inferenceLatentAttention } from './inference-latent-attention.ts'
import {
  type LatentForm,
  type LayoutFields,
  latentForms,
  layoutFields,
  placesBeside,
} from './inference-layout-fields.ts'
import {
  type CacheLayout,
  caches,
  type ProjectionLayout,
  plainProjection,
  projectionLayouts,
  projections,
  projectionUse,
} from './inference-sharding.ts'
import { latentParts } from './latent-attention.ts'
import { inferenceMixer, mixers } from './mixers.ts'
import { mlpEinsums } from './mlp-einsums.ts'
import { outputProjection } from './output-gate.ts'

export function inferenceMlp(layout: ProjectionLayout, gated: boolean): Component {
  const { rest, tokens, stream, weightD, weightInner, inner } = projections[layout]
  const hidden = `${tokens} F${inner}`
  const into = `${weightD} F${weightInner}`
  const gate = gated
    ? { ...table('activation', { Gate: hidden, Up: hidden }), ...weights('mlp', { W_gate: into }) }
    : {}
  return {
    name: 'mlp',
    arrays: {
      ...table('activation', { In: `${rest} ${stream}`, Tmp: hidden, Out: `${rest} ${stream}` }),
      ...gate,
      ...weights('mlp', { W_in: into, W_out: `F${weightInner} ${weightD}` }),
    },
    einsums: mlpEinsums(gated),
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
]

export function inferenceAttention(
  projection: ProjectionLayout,
  layout: CacheLayout,
  outputGate = false,
): Component {
  const { rest, tokens, stream, weightD, weightInner, inner } = projections[projection]
  const { sequences, heads, positions, scored, resultHeads } = caches[layout]
  const shared = `${tokens} N:K${inner} H`
  const cache = `${sequences} ${positions} N:K${heads} H`
  const entry = `${sequences} T_C N:K${heads} H`
  const [queries, result] = [`${weightD} N${weightInner} H`, `${tokens} N${inner} H`]
  const last = outputProjection(outputGate, result, queries)
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        In: `${rest} ${stream}`,
        Q: result,
        ...{ K: shared, V: shared },
        Query: `${sequences} T_C N${heads} H`,
        NewKeys: entry,
        NewValues: entry,
        Result: `${sequences} T_C N${resultHeads} H`,
        Att: result,
        ...last.activations,
        Out: `${rest} ${stream}`,
      }),
      ...table('cache', { Keys: cache, Values: cache }),
      ...table('scores', { Scores: `${sequences} T_C ${scored} N${heads}` }),
      ...weights('attention', {
        ...{ W_Q: queries, W_O: `N${weightInner} H ${weightD}` },
        ...{ W_K: `${weightD} N:K${weightInner} H`, W_V: `${weightD} N:K${weightInner} H` },
        ...last.weights,
      }),
    },
    einsums: [...attentionEinsums, ...last.einsums],
  }
}

/** Attention and MLP read one input, and their outputs are summed before one reduction (PaLM): one gather and one scatter for both. */
export function inferenceBlock(projection: ProjectionLayout, layout: CacheLayout, gated: boolean): Component {
  return besideEachOther('block', [inferenceAttention(projection, layout), inferenceMlp(projection, gated)])
}

/** Runs on the last position of each sequence; sampling is left out. */
export function inferenceUnembedding(layout: ProjectionLayout): Component {
  const { rest, tokens, stream, weightD, weightInner, inner } = projections[layout]
  return {
    name: 'unembedding',
    arrays: {
      ...table('activation', { In: `${rest} ${stream}`, Logits: `${tokens} V${inner}` }),
      ...weights('unembedding', { W_U: `${weightD} V${weightInner}` }),
    },
    einsums: [{ out: 'Logits', left: 'In', right: 'W_U', kind: 'matmul' }],
  }
}

/**
 * The table has D over the tensor chips: a look-up needs no communication, and its result is sharded as the stream of 1d and 2d. Where
 * attention weights are copied, so is the table.
 */
export function inferenceEmbedding(attention: ProjectionLayout): Component {
  const { tokens, weightInner } =
    projections[projectionUse(attention).wholeColumns ? attention : plainProjection]
  return {
    name: 'embedding',
    arrays: {
      ...table('scores', { OneHot: `${tokens} V` }),
      ...table('activation', { Out: `${tokens} D${weightInner}` }),
      ...weights('embedding', { W_E: `V D${weightInner}` }),
    },
    einsums: [{ out: 'Out', left: 'OneHot', right: 'W_E', kind: 'lookup' }],
  }
}

/** One layout of a component: its fields, and the table that they stand for. */
export interface InferenceLayout extends LayoutFields {
  readonly component: Component
}

/** One component of a layer in all its layouts, and the number of layers that have it. */
export interface LayerComponent {
  readonly layers: number
  readonly layouts: readonly InferenceLayout[]
}

/** The components in the order in which they run; dense layers have the MLP, the others experts. */
export function layerLayouts(model: Transformer): readonly LayerComponent[] {
  const { layers, gatedMlp, parallelBlocks } = model
  const sparse = expertLayers(model)
  if (parallelBlocks && sparse === 0) {
    const block = (projection: ProjectionLayout, cache: CacheLayout) =>
      inferenceBlock(projection, cache, gatedMlp)
    // A block whose weights are all copied is a replica, as on the data axis.
    const layouts = attentionLayouts(block).filter(({ projection }) => !projectionUse(projection).copied)
    return [{ layers, layouts }]
  }
  return [
    { layers: mixingLayers(model), layouts: attentionsOf(model) },
    {
      layers: denseLayers(model),
      layouts: projectionLayouts.map((projection) => ({
        ...layoutFields(projection),
        component: inferenceMlp(projection, gatedMlp),
      })),
    },
    { layers: sparse, layouts: expertLayouts(model) },
  ].filter((part) => part.layers > 0)
}

function attentionLayouts(
  table: (projection: ProjectionLayout, cache: CacheLayout) => Component,
  form: LatentForm | null = null,
): readonly InferenceLayout[] {
  return projectionLayouts.flatMap((projection) =>
    projectionUse(projection).caches.map((cache) => ({
      ...layoutFields(projection, { cache, form }),
      component: table(projection, cache),
    })),
  )
}

function attentionsOf(model: Transformer): readonly InferenceLayout[] {
  const { latent, index, compressed, outputGate } = model.attention
  if (compressed) return attentionLayouts(inferenceCompressedAttention)
  const beside = (attending: Component, projection: ProjectionLayout, cache: CacheLayout) =>
    mixers(attending, model.recurrence ? inferenceMixer(projection, cache, hasRanks(model)) : null)
  if (!latent) {
    return attentionLayouts((projection, cache) =>
      beside(inferenceAttention(projection, cache, outputGate), projection, cache),
    )
  }
  const parts = latentParts(latent, index)
  return latentForms.flatMap((form) =>
    attentionLayouts(
      (projection, cache) =>
        beside(inferenceLatentAttention(projection, cache, form, parts), projection, cache),
      form,
    ),
  )
}

/** Copies of shared experts are a layout of models that have some. */
function expertLayouts(model: Transformer): readonly InferenceLayout[] {
  const shared = (model.experts?.sharedExperts ?? 0) > 0
  return projectionLayouts
    .filter((projection) => shared || !projectionUse(projection).copied)
    .flatMap((projection) =>
      placesBeside(projection).map((places) => ({
        ...layoutFields(projection, { places }),
        component: inferenceExperts(model, projection, places),
      })),
    )
}

export function unembeddingLayouts(): readonly InferenceLayout[] {
  return projectionLayouts.map((projection) => ({
    ...layoutFields(projection),
    component: inferenceUnembedding(projection),
  }))
}
