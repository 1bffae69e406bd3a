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
import type { Kinds } from './compile/composed.ts'
import type { StageModel } from './compile/stage-model.ts'
import type { Term } from './compile/term.ts'
import type { ComputeRates } from './compute/compute.ts'
import type { Work } from './compute/work.ts'
import type { GatheredKeys } from './memory/memory.ts'

export interface CostModel {
  readonly problem: Problem
  readonly contextLayout: ContextLayout
  readonly extents: Extents
  readonly rates: ComputeRates
  /** Overhead of a step, whatever the plan. */
  readonly stepOverhead: Seconds
  /** Overhead of the average layer, per microbatch and pass. */
  readonly layerOverhead: Seconds
  readonly prices: NetworkPrices
  /** Sets of axes over which anything moves. */
  readonly sets: readonly AxisSet[]
  /** Number of resources of the network, plus the link to the host where a policy uses it, as the last one. */
  readonly resources: number
  /** From the one that keeps the most, and does the least work, to the one that keeps the least. */
  readonly policies: readonly PolicyRow[]
  /** A layer's backward pass with nothing recomputed, whether or not that is allowed: no policy does less. */
  readonly leastBackward: Window
  /** Products of the backward pass that only the optimizer waits for, the same under every policy: of a layer and of the head. */
  readonly weightGradients: {
    readonly layer: readonly CompiledProduct[]
    readonly head: readonly CompiledProduct[]
  }
  readonly stages: readonly StageModel[]
  /** The products of the windows as sums, also for each kind of layer: the same at any ZeRO stage. */
  readonly work: Work
  /** By policy: what one layer keeps of one microbatch on the chip. */
  readonly activations: readonly (readonly Term[])[]
  /** By policy: what it keeps on the host instead. */
  readonly offloaded: readonly (readonly Term[])[]
  /** What a layer keeps if everything is kept, which is what is live while it is recomputed. */
  readonly everything: readonly Term[]
  readonly logits: Term
  readonly gatheredStream: Term
  readonly gatheredKeys: GatheredKeys
  /** Of the user buffers that ranks of tensor parallelism hold under some ZeRO stages. */
  readonly userBuffers: Term
  /** The residual stream as it rests between blocks, and the part of it that each chip sends from stage to stage. */
  readonly stream: Term
  readonly boundary: Term
  /** The same model with layers of one kind alone; absent where all layers are alike. */
  readonly kinds?: () => LayerKinds
}

/** Where a model has no layers of one kind, the other kind's model stands in its place. */
export type LayerKinds = Kinds<CostModel>

export function stageModel(model: CostModel, zeroStage: ZeroStage): StageModel {
  const stage = model.stages[zeroStage]
  if (!stage) throw new RangeError(`ZeRO stage ${zeroStage} was not compiled`)
  return stage
}
