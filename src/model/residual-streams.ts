/**
 * Residual streams beside each other (hyper-connections): n streams of width D go from layer to layer, and each block reads a sum of them
 * and adds its result to all, after they were mixed.
 *
 *   parameters   n·D·(n² + 2n) for each block: the weights of sum, result and mixture are made of the streams; and n·D·n before the last norm
 *   streamed     of each block (4n + 1)·D beside its norm: the streams are read for the weights and for the sum, which is written; read and
 *                written once more with the result
 *   kept         n·D for each stream tensor of a layer, and what each block gives out, which the gradient of its weights reads
 *   sent         n·D from one stage of a pipeline to the next
 *
 * The making of the weights counts no FLOPs, like a norm: 0.3 % of a forward pass of DeepSeek-V4-Flash. Tensor ranks norm and mix the positions
 * that they hold. Sources: Xie et al., "mHC: Manifold-Constrained Hyper-Connections" (arXiv 2512.24880), sections 4.2 and 4.3; Megatron-LM
 * @d98e8a64dd, megatron/core/transformer/hyper_connection.py.
 */
import { blocksOfLayer } from './layer-pattern.ts'
import type { Transformer } from './transformer.ts'

export type Streamed = Pick<Transformer, 'residualStreams'>

export function streamsOf({ residualStreams = 1 }: Streamed): number {
  return residualStreams
}

/** Rows of width D that a layer has for its streams. */
export function streamRows(model: Transformer): number {
  const n = streamsOf(model)
  return n === 1 ? 0 : blocksOfLayer(model) * n * (n * n + 2 * n)
}

/** Rows of width D that sum the streams after the last layer. */
export function lastStreamRows(model: Streamed): number {
  const n = streamsOf(model)
  return n === 1 ? 0 : n * n
}

/** Tensors of width D that a block reads as it takes the streams in, beside what a norm and a sum of one stream read and write, and as it adds to them. */
export function streamsRead(model: Streamed): { readonly before: number; readonly after: number } {
  const n = streamsOf(model)
  return n === 1 ? { before: 0, after: 2 } : { before: 2 * n + 1, after: 2 * n }
}

/** Tensors of width D that a layer keeps, where it keeps so many of its stream; two are those before both blocks. */
export function streamsKept(model: Streamed, tensors: number): number {
  const n = streamsOf(model)
  return n === 1 ? tensors : n * tensors + (tensors > 1 ? tensors : 0)
}
