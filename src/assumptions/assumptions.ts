/**
 * Every choice that the formulas leave open, as data. `book` reproduces the book's arithmetic; `calibrated` is
 * what a cluster does. Each answer repeats the ones that it was made with.
 */

import type { Framework } from '../launch/framework.ts'
import type { AttentionFlops } from '../model/flops.ts'
import type { ExpertRecipeName } from '../recipe/expert-recipes.ts'
import type { ActivationCount } from '../recipe/policy.ts'
import type { ScheduleName } from '../recipe/schedules.ts'
import type { ZeroStage } from '../sharding/states.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import type { Residual } from '../sharding/tables/training-layout.ts'
import type { Bytes, Flops, Seconds } from '../units.ts'

export const bases = ['book', 'calibrated'] as const

export type Basis = (typeof bases)[number]

export interface Assumptions {
  readonly basis: Basis
  /** Whose constants stand in some of the fields below (stack.ts): a name of fixtures/stacks, or `none`. */
  readonly stack: string
  /** How its layers with experts are run, where it knows several ways: constants too (stack.ts), and flags that launch it. */
  readonly expertRecipe: ExpertRecipeName

  /** Fraction of peak FLOP/s that a large matmul reaches. */
  readonly matmulEfficiency: number
  /** FLOP of a matmul on one chip, of each expert's, that reaches half of that; in inference overheads have it. */
  readonly matmulHalfFlops: Flops
  /** What each matmul of experts takes beside its FLOPs in training. */
  readonly groupedMatmulSeconds: Seconds
  /** Fraction of peak that the attention kernel reaches. */
  readonly attentionEfficiency: number
  /** Keys whose time each further start of attention takes, where keys are passed around a ring (cost/compute/compute.ts). */
  readonly attentionHalfKeys: number
  /** Of both, what kernels hold through hours of training: clocks under full power. */
  readonly sustainedShare: number
  /** Of a bf16 matmul's fraction of peak, what one in fp8 reaches of its own in training. */
  readonly fp8Share: number
  /** The same of fp4. */
  readonly fp4Share: number
  readonly hbmEfficiency: number
  /** The same of attention that reads caches. */
  readonly cacheEfficiency: number
  /** Fraction of link bandwidth that collectives reach inside a slice or node, and between them. */
  readonly scaleUpEfficiency: number
  readonly scaleOutEfficiency: number
  /** Bytes of a message inside a node that reach half of that (cost/communication/operation-time.ts); large at 0, as on a torus. */
  readonly scaleUpHalfBytes: Bytes
  /** Multiplies the catalogue's latencies per hop or step; 0 leaves latency out. */
  readonly latencyFactor: number
  /** Fixed time per layer, microbatch and pass: kernel launches, norms, elementwise work that does not fuse. */
  readonly layerOverheadSeconds: Seconds
  /** What a layer that routes tokens to experts takes beyond that. */
  readonly expertLayerOverheadSeconds: Seconds
  /** Fixed time per step: host, data, logging. */
  readonly stepOverheadSeconds: Seconds
  /** What a training step waits for the last of twice as many nodes or slices. */
  readonly stragglerSeconds: Seconds

  /** The same two for a pass of inference: graphs of kernels are launched as one. */
  readonly inferenceLayerOverheadSeconds: Seconds
  readonly inferenceStepOverheadSeconds: Seconds
  /** What a step takes longer by for each of its sequences: sampling, scheduling, their tokens handed back. */
  readonly inferenceSequenceOverheadSeconds: Seconds
  /** What the grouped kernels of a layer with experts take beyond the two matmuls that they stand for, in a pass of inference. */
  readonly inferenceExpertLayerSeconds: Seconds
  /** How much longer weights of experts in four bits stream in inference where kernels unpack them to what they multiply in. */
  readonly unpackedExpertFactor: number
  /** Of a gather or scatter inside a node in inference, beside its bytes: one kernel, which reaches all others at once. */
  readonly inferenceCollectiveSeconds: Seconds
  /** Of `scaleUpHalfBytes`, what such a kernel has. */
  readonly inferenceHalfBytesShare: number

  /** Share of prefetchable communication (weights, gradients) that may run under compute. */
  readonly overlapPrefetched: number
  /** Of that, the most that hides of weights which are gathered, and gradients scattered, in every microbatch: FSDP. */
  readonly overlapGathered: number
  /** Share of what tensor parallelism waits for inside a node or slice that may: collective matmuls. */
  readonly overlapCriticalPath: number
  /** Share of what else is waited for: keys and heads over context, tokens for experts, tensor groups of several nodes. */
  readonly overlapExchange: number
  /** Share of what experts are sent in training that hides where a microbatch runs forwards beside another backwards, if more. */
  readonly overlapDispatch: number
  /** Of tensor parallelism inside a node or slice the same share in inference, where little runs beside it; else `overlapExchange`. */
  readonly overlapInference: number
  /** Ring collectives take (n-1)/n of V/W, not the book's V/W. */
  readonly finiteRings: boolean
  /** Switches that can reduce do. */
  readonly inNetworkReduction: boolean

  /** Copies of a token for experts on one node cross the network between nodes once (DeepEP). */
  readonly hierarchicalDispatch: boolean
  /** The experts of a token are on as many devices and nodes as there can be, as the book has it; else as even choices meet. */
  readonly choicesApart: boolean
  /** In generation they go straight to the chips of their experts, by kernels of low latency, whatever they share of the way. */
  readonly directGeneration: boolean
  /** Share of a chip's compute units that hierarchical dispatch takes while it runs: matters where it runs beside compute. */
  readonly dispatchComputeShare: number
  /** In inference the search may send half of a batch to its experts while the other half computes. */
  readonly twoBatchOverlap: boolean
  /** In inference, copies of experts that there are at least where chips share the experts out. */
  readonly redundantExperts: number
  /** In inference, tokens on the chip whose experts have most over their mean; 1 where routing is even. */
  readonly expertImbalance: number

  /** How attention meets keys that are sharded over context: which ways the search tries. */
  readonly contextLayouts: readonly ContextLayout[]
  /** Which attention dot products are charged and counted in MFU. */
  readonly attentionFlops: AttentionFlops
  /** Activations gathered over tensor in the forward pass are gathered again in the backward pass. */
  readonly regatherActivations: boolean
  /** Residual activations between blocks shard the sequence (Megatron) or D (the book), or are whole on every tensor rank (Megatron before 2022). */
  readonly residual: Residual
  /** Tokens, layers and sequences are real numbers: nothing has to divide, and fsdp may split a sequence. */
  readonly tokensDivideFreely: boolean
  /** Which ZeRO stages the search tries: the book knows 0 and 3, MaxText 0, 1 and 3, Megatron all. */
  readonly zeroStages: readonly ZeroStage[]
  /** Pipeline schedules that the search tries where the workload names none: what frameworks offer by default, of TPUs' MaxText. */
  readonly schedules: readonly ScheduleName[]
  /** ZeRO-2 and 3 are tried inside pipeline stages, where they gather every microbatch: of the frameworks MaxText does it. */
  readonly shardedPipelines: boolean
  /** Rematerialisation policies that the search tries where the workload names none: what Megatron and torchtitan, or MaxText, offer. */
  readonly policies: readonly string[]
  /** What is listed one of these can launch, of a deployment both phases; all there is where there are none, or none runs the model at all. */
  readonly frameworks: readonly Framework[]
  /** Meshes with a second tensor axis are tried in training without being asked for: no framework has one since MaxText's went. */
  readonly searchTensor2: boolean
  /** Inference tries 2D weight-stationary and weight-gathered layouts: TPU stacks have them, those of GPUs do not. */
  readonly searchWeightLayouts: boolean
  /** Heads may be padded to what the tensor axes divide (ESTI pads PaLM's 48 to 64); else they must divide. */
  readonly padHeads: boolean

  /** Bytes of what a policy saves: counted tensor by tensor, or the book's tensors of width D. */
  readonly activations: ActivationCount
  /** An fp32 copy of weights that are kept in less. */
  readonly masterWeights: boolean
  /**
   * What the optimizer keeps is in the host's memory, and comes and goes once a step, not hidden: MaxText's
   * `optimizer_memory_host_offload`, Megatron's `--optimizer-cpu-offload`.
   */
  readonly optimizerOnHost: boolean
  /** Gradients have a buffer of their own until the optimizer runs, which every microbatch adds to. */
  readonly gradientBuffer: boolean
  /** Gathered weights, logits and one layer's live tensors are charged. */
  readonly workspace: boolean
  /** Layers whose weights are gathered at once under ZeRO-3: 2 where the next layer's are fetched while one computes. */
  readonly layersGathered: number
  /**
   * Pieces that a microbatch's logits are computed in, each with its loss and dropped before the next: one piece is on the
   * chip at a time. 1 where they stand whole, as MaxText (`num_vocab_tiling`) and Megatron have it by default; torchtitan's
   * recipes of 2026 take 8, Liger's kernel as many as make a piece no larger than the residual stream: vocab / dModel.
   */
  readonly lossChunks: number
  /** They stand in fp32 beside what the matmul wrote (PyTorch); else the loss reads that, and its gradient stands beside it (XLA). */
  readonly logitsInFp32: boolean
  /** Where they are in pieces, the backward pass computes them again: MaxText. Liger and torchtitan take their gradient at once. */
  readonly recomputeLogits: boolean
  /** Norms, residual sums, activation functions, rotary embeddings, the loss and casts stream through HBM. */
  readonly elementwise: boolean
  /** In inference, results are summed onto every tensor chip, each of which norms and sums whole streams; else each does a part of them. */
  readonly wholeStreams: boolean
  /** How much longer these kernels take than the least that they stream, in training. */
  readonly elementwiseFactor: number
  /** The same of what experts stream: copies of tokens sorted, and their activation functions. */
  readonly expertElementwiseFactor: number
  /** The optimizer's reads and writes of HBM are charged. */
  readonly optimizerStep: boolean
  /** Of what the chip has, kept free of the plan: the framework's own, fragmentation. The one margin there is. */
  readonly reserveFraction: number
}
