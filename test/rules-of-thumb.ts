/** The book's one-line rules of training, computed from what the cost model counts. */
import { type AttentionFlops, type LayerFlops, layerForwardFlops } from '../src/model/flops.ts'
import type { Transformer } from '../src/model/transformer.ts'
import type { Component } from '../src/sharding/component.ts'
import { layerParts, type Residual } from '../src/sharding/tables/training-layout.ts'
import type { Flops } from '../src/units.ts'

/** The rule of thumb 6·P·t, for any parameter count that one cares to name. */
export function denseTrainFlops(parameters: number, tokens: number): Flops {
  return 6 * parameters * tokens
}

/** Three times forward. */
export function layerTrainFlops(
  model: Transformer,
  tokens: number,
  sequenceLength: number,
  attention: AttentionFlops,
): LayerFlops {
  return layerForwardFlops(model, 3 * tokens, sequenceLength, attention)
}

export function layerComponents(model: Transformer, residual: Residual): readonly Component[] {
  return layerParts(model, residual).map(({ component }) => component)
}
