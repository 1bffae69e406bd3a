/**
 * Layers whose mixer is a recurrence (recurrent-mixers.ts has the kinds): what they add to a model, and what they keep.
 *
 *   layers        of every n layers the last attends, and the others have the recurrence
 *   parameters    D·P to project the input, N·v·D to project the result; through two low ranks 2·D·r + r·P_r more; and, met by no matmul,
 *                 convolution and decays
 *   FLOPs         2 for each multiply-add of the chunks of a scan, whatever the length of the sequence
 *   state         N·k·v elements per sequence and layer in fp32, however long it is, and the convolution's last positions
 *
 * Convolutions, norms and gates count no FLOPs. The state is in fp32 as the configs of Qwen3.5 have it (mamba_ssm_dtype); the positions
 * of the convolution are in the type of activations, 16 bits.
 */
import { rowsByName } from '../recipe/rows.ts'
import type { Bytes, Flops } from '../units.ts'
import { layersWith } from './layer-pattern.ts'
import { type MixerRow, mixerRows } from './recurrent-mixers.ts'
import type { Recurrence, Transformer } from './transformer.ts'

export const mixerRow: (name: string) => MixerRow = rowsByName<MixerRow>(mixerRows)

export const stateElementBytes: Bytes = 4
export const convolutionElementBytes: Bytes = 2

/** Number of layers that attend. */
export function attendingLayers(model: Transformer): number {
  const listed = layersWith(model, 'attending')
  if (listed !== null) return listed
  const { layers, recurrence } = model
  if (!recurrence) return layers
  const { attentionEvery = 1, lastAttends } = recurrence
  return Math[lastAttends ? 'ceil' : 'floor'](layers / attentionEvery)
}

/** Number of layers with the recurrence: all others, unless some have no mixer. */
export function recurrentLayers(model: Transformer): number {
  return layersWith(model, 'recurrent') ?? model.layers - attendingLayers(model)
}

/** Number of layers that attend or have the recurrence. */
export function mixingLayers(model: Transformer): number {
  return attendingLayers(model) + recurrentLayers(model)
}

/** Which layers attend, of those of a model that do not all. */
export interface Attending extends Pick<Recurrence, 'lastAttends'> {
  readonly attentionEvery: number
}

interface Mixed extends Pick<Transformer, 'layers'> {
  readonly recurrence?: Partial<Attending>
}

/** Whether a layer attends, of those that attend or have the recurrence by a period; layers are counted from 0. */
export function attends({ layers, recurrence }: Mixed, layer: number): boolean {
  const { attentionEvery = 1, lastAttends = false } = recurrence ?? {}
  return (layer + 1) % attentionEvery === 0 || (lastAttends && layer === layers - 1)
}

/** The pattern of layers of which it is known which attend; null if not the last of every so many, two or more, does, with or without the very last. */
export function attendingPattern(attending: readonly boolean[]): Attending | null {
  const layers = attending.length
  const attentionEvery = attending.indexOf(true) + 1
  const lastAttends = attending.at(-1) === true && layers % attentionEvery !== 0
  const recurrence = { attentionEvery, ...(lastAttends ? { lastAttends } : {}) }
  const regular = attending.every((one, layer) => one === attends({ layers, recurrence }, layer))
  return attentionEvery >= 2 && regular ? recurrence : null
}

/** Heads of the recurrence that chips share out whole, with the heads of values that belong to them; null where all layers attend. */
export function sharedHeads({ recurrence }: Transformer): number | null {
  return recurrence?.keyHeads ?? null
}

/** Parameters of one such layer that are in matmuls, and the others. */
export function recurrenceParameters({ dModel, recurrence }: Transformer) {
  if (!recurrence) return { matmul: 0, vectors: 0 }
  const { projected, rank, raised, vectors, convolved, values } = widthsOf(recurrence)
  return {
    matmul: dModel * (projected + 2 * rank + values) + rank * raised,
    vectors: vectors + recurrence.convolution * convolved,
  }
}

/** Whether some of what is projected is made through low ranks. */
export function hasRanks({ recurrence }: Transformer): boolean {
  return recurrence !== undefined && widthsOf(recurrence).rank > 0
}

/** Forward FLOPs of one position in one such layer, without the projections. */
export function scanFlops({ recurrence }: Transformer): Flops {
  return recurrence ? 2 * mixerRow(recurrence.mixer).multiplyAdds(recurrence) : 0
}

/** What one sequence keeps in one such layer, in elements. */
export function stateElements(recurrence: Recurrence): {
  readonly state: number
  readonly convolution: number
} {
  const { heads, keyDim, valueDim, convolution } = recurrence
  return {
    state: heads * keyDim * valueDim,
    convolution: (convolution - 1) * widthsOf(recurrence).convolved,
  }
}

/** Bytes of the states of one sequence, over all layers. */
export function stateBytesPerSequence(model: Transformer): Bytes {
  if (!model.recurrence) return 0
  const { state, convolution } = stateElements(model.recurrence)
  return recurrentLayers(model) * (state * stateElementBytes + convolution * convolutionElementBytes)
}

/** Widths of the arrays of one such layer, in elements per position. */
export function widthsOf(recurrence: Recurrence) {
  const row = mixerRow(recurrence.mixer)
  return {
    projected: row.projected(recurrence),
    rank: row.rank(recurrence),
    raised: row.raised(recurrence),
    convolved: row.convolved(recurrence),
    vectors: row.vectors(recurrence),
    values: recurrence.heads * recurrence.valueDim,
    kept: row.kept(recurrence),
    streamed: row.streamed(recurrence),
    streamedBackward: row.streamedBackward(recurrence),
  }
}
