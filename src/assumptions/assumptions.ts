/**
 * Every choice that the formulas leave open, as data. `book` reproduces the book's arithmetic; `calibrated` is
 * what a cluster does. Each answer repeats the assumptions that it was made with.
 */
import type { ExpertTensor } from '../cost/communication/expert-tensor.ts'
import type { Framework } from '../launch/framework.ts'
import type { AttentionFlops } from '../model/flops.ts'
import type { ExpertRecipeName } from '../recipe/expert-recipes.ts'
import type { ActivationCount, Recomputation } from '../recipe/policy.ts'
import type { ScheduleName } from '../recipe/schedules.ts'
import type { WeightCopies } from '../recipe/weight-copies.ts'
import type { ZeroStage } from '../sharding/states.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import type { Residual } from '../sharding/tables/training-layout.ts'
import type { Bytes, Flops, Seconds } from '../units.ts'

export const bases = ['book', 'calibrated'] as const

export type Basis = (typeof bases)[number]

export interface Assumptions {
  readonly basis: Basis
  /** The stack whose constants some of the fields below have (stack.ts): a name of fixtures/stacks, or `none`. */
  readonly stack: string
  /** How layers with experts are run, where the stack knows several ways: sets constants too (stack.ts), and the flags of a launch. */
  readonly expertRecipe: ExpertRecipeName

  /** Fraction of peak FLOP/s that a large matmul reaches. */
  readonly matmulEfficiency: number
  /** FLOP per chip at which a matmul (each expert's, in layers with experts) reaches half of that; in inference, overheads cover this. */
  readonly matmulHalfFlops: Flops
  /** Time of each matmul of experts beside its FLOPs, in training. */
  readonly groupedMatmulSeconds: Seconds
  /** Further time of those in fewer bits than activations are kept in: each expert's rows are quantised by kernels of their own. */
  readonly groupedCastSeconds: Seconds
  /** Fraction of peak that the attention kernel reaches. */
  readonly attentionEfficiency: number
  /** What each further start of attention costs, in keys that take as long, where keys are passed around a ring (cost/compute/compute.ts). */
  readonly attentionHalfKeys: number
  /** Share of both efficiencies that kernels hold through hours of training: clocks drop under full power. */
  readonly sustainedShare: number
  /** What an fp8 matmul reaches of its own peak in training, over what a bf16 matmul reaches of its peak. */
  readonly fp8Share: number
  /** The same for fp4. */
  readonly fp4Share: number
  readonly hbmEfficiency: number
  /** Fraction of HBM bandwidth that attention reaches when it reads caches. */
  readonly cacheEfficiency: number
  /** Fraction of link bandwidth that collectives reach inside a slice or node, and between them. */
  readonly scaleUpEfficiency: number
  readonly scaleOutEfficiency: number
  /**
   * Bytes of a message inside a node that reach half of that (cost/communication/operation-time.ts); at 0 every
   * message counts as large, as on a torus.
   */
  readonly scaleUpHalfBytes: Bytes
  /** Multiplies the catalogue's latencies per hop or step; 0 leaves latency out. */
  readonly latencyFactor: number
  /** Fixed time per layer, microbatch and pass: kernel launches, norms, elementwise work that does not fuse. */
  readonly layerOverheadSeconds: Seconds
  /** Fixed time that a layer which routes tokens to experts takes beyond that. */
  readonly expertLayerOverheadSeconds: Seconds
  /** Fixed time per step: host, data, logging. */
  readonly stepOverheadSeconds: Seconds
  /** How much longer a training step waits for the slowest node or slice when there are twice as many. */
  readonly stragglerSeconds: Seconds

  /** Overheads per layer and per step of a pass of inference. Each stage of a pipeline takes a step for each of the groups that it passes on. */
  readonly inferenceLayerOverheadSeconds: Seconds
  readonly inferenceStepOverheadSeconds: Seconds
  /** What a host takes to start the kernels of a layer one by one, as it does for prompts: a layer of a prefill takes no less. */
  readonly inferenceLayerHostSeconds: Seconds
  /** How much longer a step takes for each of its sequences: sampling, scheduling, handing back their tokens. */
  readonly inferenceSequenceOverheadSeconds: Seconds
  /** What the grouped kernels of a layer with experts take beyond the two matmuls of a dense MLP, in a pass of inference. */
  readonly inferenceExpertLayerSeconds: Seconds
  /** What a matmul in fp8 or less takes in prefill beyond one in 16 bits: its input is quantised, and its kernel starts later. */
  readonly inferenceNarrowMatmulSeconds: Seconds
  /** How much longer grouped kernels stream and multiply in inference where they unpack four-bit weights to the type that they multiply in. */
  readonly unpackedExpertFactor: number
  /** Latency of a gather or scatter inside a node in inference, beside its bytes: one kernel reaches all other chips at once. */
  readonly inferenceCollectiveSeconds: Seconds
  /** `scaleUpHalfBytes` of such a kernel, as a share of the usual one. */
  readonly inferenceHalfBytesShare: number

  /** Share of prefetchable communication (weights, gradients) that may run under compute. */
  readonly overlapPrefetched: number
  /** The most of prefetchable communication that hides under FSDP, where weights are gathered and gradients scattered in every microbatch. */
  readonly overlapGathered: number
  /** The most of it in models with experts, whose exchanges use the same links. */
  readonly expertOverlapGathered: number
  /** Share of what tensor parallelism waits for, inside a node or slice, that may run under compute: collective matmuls. */
  readonly overlapCriticalPath: number
  /** The same share of everything else that is waited for: keys and heads over context, tokens for experts, tensor groups of several nodes. */
  readonly overlapExchange: number
  /** Share of what experts are sent in training that hides where one microbatch runs forwards beside another backwards, if that is more. */
  readonly overlapDispatch: number
  /** The share for tensor parallelism inside a node or slice in inference, where little runs beside it; other exchanges have `overlapExchange`. */
  readonly overlapInference: number
  /** Ring collectives take (n-1)/n of V/W, not the book's V/W. */
  readonly finiteRings: boolean
  /** Switches that can reduce do so. */
  readonly inNetworkReduction: boolean

  /** Copies of a token for experts on one node cross the network between nodes once (DeepEP). */
  readonly hierarchicalDispatch: boolean
  /** In training, tokens are sent to experts in the type that these multiply in, where that is narrower (DeepSeek-V3); else they are cast there. */
  readonly narrowDispatch: boolean
  /**
   * Rows that training has room for on a chip of what its experts are sent, over an even share: 1 where buffers are made for as many as come,
   * 0 for the most that can come (MaxText, which drops no token so: `ragged_buffer_factor` -1). What comes beyond is dropped.
   */
  readonly expertBufferFactor: number
  /** How a mesh with tensor parallelism holds experts (cost/communication/expert-tensor.ts). */
  readonly expertTensor: ExpertTensor
  /** A token's experts lie on as many devices and nodes as they can, as the book has it; else on as many as even choices meet. */
  readonly choicesApart: boolean
  /** In generation, tokens go straight to the chips of their experts, by kernels of low latency, even where copies could share the way. */
  readonly directGeneration: boolean
  /** Share of a chip's compute units that hierarchical dispatch keeps for itself where it runs beside compute (inference/time/turns.ts). */
  readonly dispatchComputeShare: number
  /** In inference the search may send half of a batch to its experts while the other half computes. */
  readonly twoBatchOverlap: boolean
  /** The least number of copies of experts in inference, where chips share the experts out. */
  readonly redundantExperts: number
  /** In inference, the least that the chip whose experts are busiest has of tokens, over the mean; what follows from `expertUnevenness` may be more. */
  readonly expertImbalance: number
  /** In inference, how unevenly tokens choose experts: the u of cost/communication/uneven-routing.ts; 0 where all are as popular. */
  readonly expertUnevenness: number

  /** The ways in which attention may meet keys that are sharded over context; the search tries each. */
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
  /** Pipeline schedules that the search tries when the workload names none: what frameworks offer by default; on TPUs, what MaxText does. */
  readonly schedules: readonly ScheduleName[]
  /** ZeRO-2 and 3 are tried inside pipeline stages, where every microbatch gathers weights; of the frameworks, MaxText does it. */
  readonly shardedPipelines: boolean
  /** Rematerialisation policies that the search tries when the workload names none: what Megatron and torchtitan, or MaxText, offer. */
  readonly policies: readonly string[]
  /**
   * Frameworks of which one can launch what is listed (both phases of a deployment); all plans are listed when
   * there are none, or none runs the model at all.
   */
  readonly frameworks: readonly Framework[]
  /** Meshes with a second tensor axis are tried in training without being asked for: no framework has had one since MaxText dropped it. */
  readonly searchTensor2: boolean
  /** Inference tries 2D weight-stationary and weight-gathered layouts: TPU stacks have them, those of GPUs do not. */
  readonly searchWeightLayouts: boolean
  /** Heads may be padded to what the tensor axes divide (ESTI pads PaLM's 48 to 64); else they must divide. */
  readonly padHeads: boolean

  /** Bytes of what a policy saves: counted tensor by tensor, or the book's tensors of width D. */
  readonly activations: ActivationCount
  /** Weights that are kept in a narrower type have an fp32 copy. */
  readonly masterWeights: boolean
  /**
   * Of the fp32 copy of bf16 weights only the 16 bits are kept that the weights themselves lack: `store_param_remainders` of Transformer
   * Engine's FusedAdam, as Megatron-LM's precision-aware optimizer has it.
   */
  readonly masterRemainders: boolean
  /**
   * What the optimizer keeps is in the host's memory, and crosses to the chip and back once a step, without being hidden: MaxText's
   * `optimizer_memory_host_offload`, Megatron's `--optimizer-cpu-offload`.
   */
  readonly optimizerOnHost: boolean
  /** Gradients have a buffer of their own, to which every microbatch adds until the optimizer runs. */
  readonly gradientBuffer: boolean
  /** The matmul that makes a gradient adds it to that buffer; else it is written, and added by a kernel of its own (Megatron-LM before 2022, DeepSpeed). */
  readonly fusedAccumulation: boolean
  /**
   * Where a step has several microbatches without a pipeline, those of the running one lie beside their sum, both in fp32: MaxText's scan over
   * microbatches carries zeros like the parameters, and casts to `grad_dtype` after it (AI-Hypercomputer/maxtext e591f30,
   * src/maxtext/utils/gradient_accumulation.py). Without, they are added to one buffer.
   */
  readonly gradientsBesideSum: boolean
  /**
   * Every stage of a pipeline holds the embedding and the head, which run outside of it, on all microbatches at once: the stages share them out
   * as they do logits (AI-Hypercomputer/maxtext e591f30, src/maxtext/layers/nnx_decoders.py; `activation_embed_and_logits_batch` and `vocab` in
   * configs/base.yml). Without, the first stage embeds and the last has the head, a microbatch at a time.
   */
  readonly endsOnEveryStage: boolean
  /** Gathered weights, logits and one layer's live tensors are charged. */
  readonly workspace: boolean
  /**
   * Ranks of tensor parallelism inside a unit hold user buffers of Transformer Engine wherever it is known to run with them
   * (cost/memory/user-buffers.ts): Megatron's `--tp-comm-overlap`.
   */
  readonly userBuffers: boolean
  /** Layers whose weights are gathered at once under ZeRO-3: 2 where the next layer's are fetched while one computes. */
  readonly layersGathered: number
  /**
   * What a matmul in fewer bits reads is kept for the backward pass as it was read, if nothing else reads it (Transformer Engine); else in
   * the type of activations (torchao).
   */
  readonly narrowOperands: boolean
  /** What training holds of weights whose matmuls run in fewer bits. */
  readonly weightCopies: WeightCopies
  /**
   * Number of pieces in which the logits of a microbatch are computed, each with its loss and dropped before the next: one piece is
   * on the chip at a time. 1 where they stand whole, as MaxText (`num_vocab_tiling`) and Megatron have it by default; torchtitan's
   * recipes of 2026 take 8, Liger's kernel as many as make a piece no larger than the residual stream: vocab / dModel.
   */
  readonly lossChunks: number
  /** Logits stand in fp32 beside what the matmul wrote (PyTorch); else the loss reads that, and writes the gradient over it (XLA). */
  readonly logitsInFp32: boolean
  /** What of a layer that keeps its input alone runs again. */
  readonly recomputation: Recomputation
  /** Logits in pieces are computed again in the backward pass (MaxText); else their gradient is taken at once (Liger, torchtitan). */
  readonly recomputeLogits: boolean
  /** Norms, residual sums, activation functions, rotary embeddings, the loss and casts stream through HBM. */
  readonly elementwise: boolean
  /** In inference, results are summed onto every tensor chip, each of which then norms and sums the whole stream; else each does its part. */
  readonly wholeStreams: boolean
  /** How much longer elementwise kernels take in training than streaming their bytes once. */
  readonly elementwiseFactor: number
  /** The same of a recurrence's chain of kernels. */
  readonly recurrenceFactor: number
  /** The same for what experts stream: sorted copies of tokens, and their activation functions. */
  readonly expertElementwiseFactor: number
  /** The optimizer's reads and writes of HBM are charged. */
  readonly optimizerStep: boolean
  /** Fraction of the chip's memory that is kept free of the plan, for the framework's own and for fragmentation. There is no other margin. */
  readonly reserveFraction: number
}
