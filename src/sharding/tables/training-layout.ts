/**
 * The layer of a Transformer under training layouts, as tables: every array with its sharding. DP, ZeRO, FSDP, HSDP,
 * tensor, sequence, context and 2D tensor parallelism are this one table on meshes where some axes are 1, with a
 * ZeRO stage (sharding/states.ts); their communication follows (sharding/derive.ts) and is held to the book's tables by tests.
 *
 * Between blocks, residual activations are sharded over tensor either along the sequence (Megatron's sequence
 * parallelism) or along D (the book): the bytes that move are the same. Or they are whole on every tensor rank, as Megatron had
 * them before it sharded the sequence (Korthikanti et al. 2022, arXiv 2205.05198): results are reduced to all, and norms stream whole.
 */

import { type Composition, wholeComposition } from '../../model/composition.ts'
import { expertLayers } from '../../model/expert-layers.ts'
import { hasRanks, mixingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import { table, weights } from '../array.ts'
import { besideEachOther, type Component } from '../component.ts'
import { compressedAttention } from './compressed-attention.ts'
import { contextLayoutRow, plainContext } from './context-layout.ts'
import type { ContextLayout } from './context-layouts.ts'
import { type ExpertSharding, experts } from './expert-layout.ts'
import { latentAttention, latentParts } from './latent-attention.ts'
import { mixers, recurrentMixer } from './mixers.ts'
import { mlpEinsums } from './mlp-einsums.ts'
import { outputProjection } from './output-gate.ts'

export const residualShardings = ['sequence', 'feature', 'whole'] as const

export type Residual = (typeof residualShardings)[number]

/** How positions and the width of the stream are sharded. */
const streams: Readonly<Record<Residual, readonly [positions: string, d: string]>> = {
  sequence: ['T_CY', 'D_Z'],
  feature: ['T_C', 'D_YZ'],
  whole: ['T_C', 'D_Z'],
}

/** Whether tensor ranks divide the stream along the sequence: Megatron's sequence parallelism. */
export function dividesPositions(residual: Residual): boolean {
  return streams[residual][0] === 'T_CY'
}

const resting = (residual: Residual): string => `B_RXE ${streams[residual].join(' ')}`

const attentionWeights = { W_Q: 'D_Z N_Y H', W_K: 'D_Z N:K_Y H', W_V: 'D_Z N:K_Y H', W_O: 'N_Y H D_Z' }

export function attention(
  residual: Residual,
  layout: ContextLayout = plainContext,
  outputGate = false,
): Component {
  const stream = resting(residual)
  const inner = contextLayoutRow(layout).arrays({ query: 'H', key: 'N:K_YZ H', value: 'H' })
  const { query, key, value } = inner.projected
  const last = outputProjection(outputGate, 'B_RXE T_C N_YZ H', attentionWeights.W_Q)
  return {
    name: 'attention',
    arrays: {
      ...table('activation', { In: stream, ...inner.activations, ...last.activations, Out: stream }),
      ...table(inner.keysKind, inner.keys),
      ...weights('attention', { ...attentionWeights, ...last.weights }),
      ...table('scores', { Scores: inner.scores }),
    },
    einsums: [
      { out: query, left: 'In', right: 'W_Q', kind: 'matmul' },
      { out: key, left: 'In', right: 'W_K', kind: 'matmul' },
      { out: value, left: 'In', right: 'W_V', kind: 'matmul' },
      ...inner.einsums,
      ...last.einsums,
    ],
  }
}

export function mlp(residual: Residual, gated: boolean): Component {
  const stream = resting(residual)
  const inner = 'B_RXE T_C F_YZ'
  const gate = gated
    ? { ...table('activation', { Gate: inner }), ...weights('mlp', { W_gate: 'D_Z F_Y' }) }
    : {}
  return {
    name: 'mlp',
    arrays: {
      ...table('activation', { In: stream, Up: inner, Tmp: inner, Out: stream }),
      ...weights('mlp', { W_in: 'D_Z F_Y', W_out: 'F_Y D_Z' }),
      ...gate,
    },
    einsums: mlpEinsums(gated, { keptBefore: true }),
  }
}

/** Rows are looked up by token: a product with one-hot vectors in the algebra, a gather in memory. */
export function embedding(residual: Residual): Component {
  return {
    name: 'embedding',
    arrays: {
      ...table('scores', { OneHot: 'B_RXE T_C V_Y' }),
      ...table('activation', { Out: resting(residual) }),
      ...weights('embedding', { W_E: 'V_Y D_Z' }),
    },
    einsums: [{ out: 'Out', left: 'OneHot', right: 'W_E', kind: 'lookup' }],
  }
}

export function unembedding(residual: Residual): Component {
  return {
    name: 'unembedding',
    arrays: {
      ...table('activation', { In: resting(residual), Logits: 'B_RXE T_C V_YZ' }),
      ...weights('unembedding', { W_U: 'D_Z V_Y' }),
    },
    einsums: [{ out: 'Logits', left: 'In', right: 'W_U', kind: 'matmul' }],
  }
}

/** Attention and MLP read one normed input, and their outputs are summed before one reduction (PaLM). */
function parallelBlock(residual: Residual, gated: boolean, layout: ContextLayout): Component {
  return besideEachOther('block', [attention(residual, layout), mlp(residual, gated)])
}

/** A component of the average layer of a model or stage; `times` is the share of the layers that have it. */
export interface LayerPart {
  readonly component: Component
  readonly times: number
}

/**
 * The components of a layer, in order, each with the share of layers that have it. Layers that predict further tokens
 * are counted in, so that shares may add up to more than one. A layer that has one part alone is in one share.
 */
export function layerParts(
  model: Transformer,
  residual: Residual,
  layout: ContextLayout = plainContext,
  { layers, dense, sparse }: Composition = wholeComposition(model),
): readonly LayerPart[] {
  const { latent, index, compressed, outputGate } = model.attention
  const whole = (dense + sparse) / layers
  if (model.parallelBlocks && expertLayers(model) === 0) {
    return [{ component: parallelBlock(residual, model.gatedMlp, layout), times: whole }]
  }
  const stream = resting(residual)
  const perHead = () =>
    latent
      ? latentAttention(stream, latentParts(latent, index), layout)
      : attention(residual, layout, outputGate)
  const attending = compressed ? compressedAttention(stream) : perHead()
  const recurrence = model.recurrence ? recurrentMixer(stream, hasRanks(model)) : null
  const { mixed, plain } =
    model.layerPattern === undefined ? { mixed: whole, plain: dense / layers } : apart(model, dense / layers)
  return [
    { component: mixers(attending, recurrence), times: mixed },
    { component: mlp(residual, model.gatedMlp), times: plain },
    { component: experts(model, expertSharding(residual)), times: sparse / layers },
  ].filter(({ times }) => times > rounding)
}

/** Layers without experts that have a mixer alone, and those that have an MLP alone. */
function apart(model: Transformer, others: number) {
  const share = mixingLayers(model) / (model.layers - expertLayers(model))
  return { mixed: share * others, plain: (1 - share) * others }
}

/** Layers that the parts are of, per layer of L: all have the first part, unless each has one alone. */
export function layersOfParts(
  parts: readonly LayerPart[],
  { layerPattern }: Pick<Transformer, 'layerPattern'>,
): number {
  if (layerPattern === undefined) return parts[0]?.times ?? 0
  return parts.reduce((sum, { times }) => sum + times, 0)
}

const rounding = 1e-12

function expertSharding(residual: Residual): ExpertSharding {
  const [positions, d] = streams[residual]
  return {
    stream: { tokens: `B_RXE ${positions}`, dispatched: `B_RX ${positions}`, d },
    tokens: 'B_RXE T_C',
    dispatched: 'B_RX T_C',
    weightD: 'D_Z',
    weightInner: '_Y',
    inner: '_YZ',
  }
}
