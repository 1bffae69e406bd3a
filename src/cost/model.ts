/**
 * Everything about a request that does not depend on the mesh: compiled windows per ZeRO stage and policy, memory terms, rates.
 * A candidate only puts numbers in. compiled-model.ts derives it, once.
 */
import type { Problem } from '../problem.ts'
import type { PolicyRow } from '../recipe/policy-row.ts'
import type { AxisSet } from '../sharding/axis.ts'
import type { Extents } from '../sharding/monomial.ts'
import type { ZeroStage } from '../sharding/states.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import type { Seconds } from '../units.ts'
import type { NetworkPrices } from './communication/network.ts'
import type { CompiledProduct, Window } from './compile/compile.ts'
import type { StageModel } from './compile/stage-model.ts'
import type { Term } from './compile/term.ts'
import type { ComputeRates } from './compute/compute.ts'
import type { Work } from './compute/work.ts'

export interface CostModel {
  readonly problem: Problem
  readonly contextLayout: ContextLayout
  readonly extents: Extents
  readonly rates: ComputeRates
  /** Of a step, whatever the plan. */
  readonly stepOverhead: Seconds
  /** Of the average layer, per microbatch and pass. */
  readonly layerOverhead: Seconds
  readonly prices: NetworkPrices
  /** Axis sets that anything moves over. */
  readonly sets: readonly AxisSet[]
  /** Of the network, and last the link to the host where a policy uses it. */
  readonly resources: number
  readonly policies: readonly PolicyRow[]
  /** The policy that does least work: the first of the table, which goes from most kept to least. */
  readonly leastPolicy: number
  /** A layer's backward pass with nothing recomputed, whether that is allowed or not: no policy does less. */
  readonly leastBackward: Window
  /** Products of the backward pass, whatever the policy, that only the optimizer waits for: of a layer and of the head. */
  readonly weightGradients: {
    readonly layer: readonly CompiledProduct[]
    readonly head: readonly CompiledProduct[]
  }
  readonly stages: readonly StageModel[]
  /** The products of their windows as sums, those of kinds of layers too: the same at any ZeRO stage. */
  readonly work: Work
  /** Per policy: what one layer keeps of one microbatch. */
  readonly activations: readonly (readonly Term[])[]
  /** Per policy: what of it is on the host instead. */
  readonly offloaded: readonly (readonly Term[])[]
  /** The same, if everything is kept: what is live while a layer is recomputed. */
  readonly everything: readonly Term[]
  readonly logits: Term
  readonly gatheredStream: Term
  readonly gatheredKeys: readonly [Term, Term]
  /** The residual stream as it rests between blocks, and what of it each chip sends from stage to stage. */
  readonly stream: Term
  readonly boundary: Term
  /** The same with layers of one kind alone; absent where all layers are alike. */
  readonly kinds?: () => LayerKinds
}

/** Of a kind that a model has none of, the other one stands here. */
export interface LayerKinds {
  readonly dense: CostModel
  readonly sparse: CostModel
}

export function stageModel(model: CostModel, zeroStage: ZeroStage): StageModel {
  const stage = model.stages[zeroStage]
  if (!stage) throw new RangeError(`ZeRO stage ${zeroStage} was not compiled`)
  return stage
}
