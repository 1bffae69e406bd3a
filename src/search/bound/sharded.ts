/** What one mesh holds of weights, gradients and optimizer states. */
import type { StateNumbers } from '../../cost/memory/layer-bytes.ts'
import type { States } from '../../cost/memory/memory-numbers.ts'

/** By ZeRO stage, of a layer and of a stage that has the whole model, each made when it is first asked for. */
export interface Sharded {
  readonly layer: StateNumbers[]
  readonly model: States[]
}

export function nothingSharded(): Sharded {
  return { layer: [], model: [] }
}
