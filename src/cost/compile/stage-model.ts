/** What the layers and the ends of the model compute, move and hold under one ZeRO stage. */
import { stateShardings, type ZeroStage } from '../../sharding/states.ts'
import type { StateTerms } from '../memory/state-terms.ts'
import type { CompiledComponent, Window } from './compile.ts'

/** One layer: its forward pass, and its backward pass under each policy. */
export interface LayerWindows {
  readonly forward: Window
  readonly backward: readonly Window[]
  readonly gradients: Window
  readonly weights: Window
}

export interface StageModel {
  readonly zeroStage: ZeroStage
  readonly layer: LayerWindows
  readonly embedding: CompiledComponent
  readonly head: CompiledComponent
  readonly layerStates: StateTerms
  readonly embeddingStates: StateTerms
  /** States of learned positions alone: what is left of the embedding on a chip where the head holds the tied matrix. */
  readonly positionStates: StateTerms
  readonly headStates: StateTerms
  /** Whether ranks of tensor parallelism hold user buffers. */
  readonly userBuffers: boolean
}

/** Whether weights are gathered at use, as under ZeRO-3; below it they are whole. */
export function gathersWeights(stage: ZeroStage): boolean {
  return stateShardings[stage].weights.length > 0
}
