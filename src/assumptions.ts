/**
 * Every choice that the formulas leave open, as data. `book` reproduces the book's arithmetic; `calibrated` is
 * what a cluster does. Each answer repeats the ones that it was made with.
 */
import type { Chip, Efficiency } from './hardware/chip.ts'
import type { ScheduleName } from './problem.ts'
import { type ContextLayout, contextLayouts } from './sharding/context-layout.ts'
import { type ZeroStage, zeroStages } from './sharding/states.ts'
import type { Bytes, Flops, Seconds } from './units.ts'

export const frameworks = ['megatron', 'torchtitan', 'maxtext'] as const
export type Framework = (typeof frameworks)[number]

export interface Assumptions {
  readonly basis: 'book' | 'calibrated'

  /** Fraction of peak FLOP/s that a large matmul reaches. */
  readonly matmulEfficiency: number
  /** FLOP of a matmul on one chip, of each expert's, that reaches half of that; in inference overheads have it. */
  readonly matmulHalfFlops: Flops
  /** The same for the attention kernel, of peak. */
  readonly attentionEfficiency: number
  /** Of both, what kernels hold through hours of training: clocks under full power. */
  readonly sustainedShare: number
  /** Of a bf16 matmul's fraction of peak, what one in fp8 reaches of its own in training. */
  readonly fp8Share: number
  readonly hbmEfficiency: number
  /** The same of attention that reads caches. */
  readonly cacheEfficiency: number
  /** Fraction of link bandwidth that collectives reach inside a slice or node, and between them. */
  readonly scaleUpEfficiency: number
  readonly scaleOutEfficiency: number
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
  /** Of a gather or scatter inside a node in inference, beside its bytes: one kernel, which reaches all others at once. */
  readonly inferenceCollectiveSeconds: Seconds

  /** Share of prefetchable communication (weights, gradients) that may run under compute. */
  readonly overlapPrefetched: number
  /** Share of communication on the critical path (activations) that may: collective matmuls. */
  readonly overlapCriticalPath: number
  /** The same share in inference, where little runs beside it. */
  readonly overlapInference: number
  /** Ring collectives take (n-1)/n of V/W, not the book's V/W. */
  readonly finiteRings: boolean
  /** Switches that can reduce do. */
  readonly inNetworkReduction: boolean

  /** Copies of a token for experts on one node cross the network between nodes once (DeepEP). */
  readonly hierarchicalDispatch: boolean
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
  readonly attentionFlops: 'none' | 'causal' | 'full'
  /** Activations gathered over tensor in the forward pass are gathered again in the backward pass. */
  readonly regatherActivations: boolean
  /** Residual activations between blocks shard the sequence (Megatron) or D (the book). */
  readonly residual: 'sequence' | 'feature'
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
  /** Training lists what one of these can launch; all there is where there are none, or where they can launch nothing. */
  readonly frameworks: readonly Framework[]
  /** Meshes with a second tensor axis are tried in training without being asked for: no framework has one since MaxText's went. */
  readonly searchTensor2: boolean
  /** Inference tries 2D weight-stationary and weight-gathered layouts: TPU stacks have them, those of GPUs do not. */
  readonly searchWeightLayouts: boolean
  /** Heads may be padded to what the tensor axes divide (ESTI pads PaLM's 48 to 64); else they must divide. */
  readonly padHeads: boolean

  /** Bytes of what a policy saves: counted tensor by tensor, or the book's tensors of width D. */
  readonly activations: 'counted' | 'book'
  /** An fp32 copy of weights that are kept in less. */
  readonly masterWeights: boolean
  /** Gradients have a buffer of their own until the optimizer runs, which every microbatch adds to. */
  readonly gradientBuffer: boolean
  /** Gathered weights, logits and one layer's live tensors are charged. */
  readonly workspace: boolean
  /**
   * Pieces that a microbatch's logits are computed in, each with its loss and dropped before the next: one piece is on the
   * chip at a time. 1 where they stand whole, as MaxText (`num_vocab_tiling`) and Megatron have it by default; torchtitan's
   * recipes of 2026 take 8, Liger's kernel as many as make a piece no larger than the residual stream: vocab / dModel.
   */
  readonly lossChunks: number
  /** Where they are in pieces, the backward pass computes them again: MaxText. Liger and torchtitan take their gradient at once. */
  readonly recomputeLogits: boolean
  /** Norms, residual sums, activation functions, rotary embeddings, the loss and casts stream through HBM. */
  readonly elementwise: boolean
  /** How much longer these kernels take than the least that they stream, in training. */
  readonly elementwiseFactor: number
  /** The optimizer's reads and writes of HBM are charged. */
  readonly optimizerStep: boolean
  /** Kept free of everything else: framework, fragmentation. */
  readonly reserveFraction: number
  readonly reserveBytes: Bytes
}

const everyPolicy = [
  'none',
  'selective',
  'minimal',
  'save_dot_except_mlp',
  'save_mlp_proj',
  'save_qkv_proj',
  'save_out_proj',
  'full',
] as const

/** Arrays on the host: of the frameworks MaxText has such policies. */
const hostPolicies = ['minimal_offloaded', 'qkv_proj_offloaded', 'full_offloaded'] as const

const offeredSchedules = ['gpipe', '1f1b', 'interleaved-1f1b'] as const

export const book: Assumptions = {
  basis: 'book',
  matmulEfficiency: 1,
  matmulHalfFlops: 0,
  attentionEfficiency: 1,
  sustainedShare: 1,
  fp8Share: 1,
  hbmEfficiency: 1,
  cacheEfficiency: 1,
  scaleUpEfficiency: 1,
  scaleOutEfficiency: 1,
  latencyFactor: 0,
  layerOverheadSeconds: 0,
  expertLayerOverheadSeconds: 0,
  stepOverheadSeconds: 0,
  stragglerSeconds: 0,
  inferenceLayerOverheadSeconds: 0,
  inferenceStepOverheadSeconds: 0,
  inferenceSequenceOverheadSeconds: 0,
  inferenceCollectiveSeconds: 0,
  overlapPrefetched: 1,
  overlapCriticalPath: 1,
  overlapInference: 1,
  finiteRings: false,
  inNetworkReduction: false,
  hierarchicalDispatch: false,
  directGeneration: false,
  dispatchComputeShare: 0,
  twoBatchOverlap: false,
  redundantExperts: 0,
  expertImbalance: 1,
  contextLayouts: ['gather'],
  attentionFlops: 'none',
  regatherActivations: false,
  residual: 'feature',
  tokensDivideFreely: true,
  zeroStages: [0, 3],
  schedules: offeredSchedules,
  shardedPipelines: false,
  policies: everyPolicy,
  frameworks: [],
  searchTensor2: false,
  searchWeightLayouts: true,
  padHeads: true,
  activations: 'book',
  masterWeights: false,
  gradientBuffer: false,
  workspace: false,
  lossChunks: 1,
  recomputeLogits: false,
  elementwise: false,
  elementwiseFactor: 1,
  optimizerStep: false,
  reserveFraction: 0,
  reserveBytes: 0,
}

/**
 * Kernels are measured in short bursts; under hours of load clocks drop and streams contend. One round number for all chips,
 * set to published training runs (those kept for fitting); where power limits a chip further, its own `sustained` says so.
 */
const sustained = 0.85

/**
 * Elementwise kernels of GPUs run one by one: with every pass over an array that a fused kernel would make counted, training
 * still takes 1.5 times as long as its bytes at the rate that matmuls stream. XLA fuses. Fit, with the share that H100 sustains
 * and the stragglers, to the 114 bf16 rows of llm-foundry marked for fitting (PyTorch, nothing compiled, 125M to 70B on A100 and
 * H100), at the least mean absolute log error. Left out by model size, sequence length or chips it stays at 1.4 to 1.5.
 */
const unfused = 1.5

/**
 * Steps grow with the nodes even where all communication hides: each waits for the last of them. Same rows, 8 to 512 chips; 5 to
 * 10 ms whatever is left out. A share of the step fits as well there (1 %), but long steps of many thousand chips do not lose it
 * (Llama 3, arXiv 2407.21783, table 4: 41 % MFU on 16 384). Left out on TPUs, where efficiencies are stated and not fitted.
 */
const stragglers = 8e-3

/**
 * Quantising included, large fp8 matmuls reach 0.87 to 0.91 of the fraction of peak that bf16 ones do, on H100, H200, B200, B300,
 * GB200 and GB300 (ai-dynamo/aiconfigurator @095f58a51c4c, TensorRT-LLM kernels, saturation fits).
 */
const fp8Share = 0.88

/**
 * What a step of serving takes beside products and collectives. GPUs: one set for all stacks, round numbers at the least
 * squares of the rows kept for fitting (289 of TensorRT-LLM, vLLM and SGLang: Llama of 8B and 70B on 1 to 8 H100, H200 and
 * B200, 4 to 512 sequences). They leave half of the rows within 9 % and 90 % within 21 %; stacks differ from each other by as
 * much (median from 11 % fast to 17 % slow). A step and its layers trade against each other: 0 to 3 ms and 20 to 52 us do
 * nearly as well; sequences take 15 to 29 us. Kernels that reduce over a node take 2.5 to 7.5 us for the smallest arrays,
 * whatever the number of chips (ai-dynamo/aiconfigurator @095f58a51c4c): half for a gather or scatter.
 * TPUs: stated, not measured; on a torus the catalogue's hops count.
 */
function servingOverhead(tpu: boolean) {
  return {
    inferenceLayerOverheadSeconds: tpu ? 2e-5 : 3.5e-5,
    inferenceStepOverheadSeconds: tpu ? 1e-3 : 1.5e-3,
    inferenceSequenceOverheadSeconds: tpu ? 0 : 2e-5,
    inferenceCollectiveSeconds: tpu ? 0 : 3e-6,
  }
}

/** SMs that DeepSeek-V3 gives to its AllToAll kernels (arXiv 2412.19437, section 3.2.2), of the 132 of an H800. */
const dispatchUnits = 20

/**
 * Qwen3-30B-A3B on 16 H100, 64 microbatches of 48 layers, a step of 24.71 s: the chip is idle for 1.89 s of it, and the
 * exchange of counts takes 0.67 s where chips need not wait for each other, 0.31 + 0.11 ms a layer and pass. Source:
 * NVIDIA-NeMo/Megatron-Bridge @067f987df0, skills/nemo-mbridge-perf-moe-comm-overlap/SKILL.md. On TPUs a compiled program
 * waits for no host.
 */
const routing = 4e-4

/** Stated starting values; the efficiencies are the chip's own (fixtures/hardware, each with its source). */
export function calibrated(kind: 'tpu' | 'gpu', efficiency: Efficiency): Assumptions {
  const tpu = kind === 'tpu'
  return {
    basis: 'calibrated',
    matmulEfficiency: sustained * efficiency.matmul,
    matmulHalfFlops: efficiency.matmulHalfFlops,
    attentionEfficiency: efficiency.attention,
    sustainedShare: efficiency.sustained ?? 1,
    fp8Share,
    hbmEfficiency: efficiency.hbm,
    cacheEfficiency: efficiency.cache ?? efficiency.hbm,
    scaleUpEfficiency: efficiency.scaleUp,
    scaleOutEfficiency: efficiency.scaleOut,
    latencyFactor: 1,
    layerOverheadSeconds: tpu ? 2e-5 : 5e-5,
    expertLayerOverheadSeconds: tpu ? 0 : routing,
    stepOverheadSeconds: tpu ? 5e-3 : 1e-2,
    stragglerSeconds: tpu ? 0 : stragglers,
    ...servingOverhead(tpu),
    overlapPrefetched: 0.9,
    overlapCriticalPath: tpu ? 0.6 : 0.3,
    overlapInference: tpu ? 0.6 : 0,
    finiteRings: true,
    inNetworkReduction: false,
    hierarchicalDispatch: !tpu,
    directGeneration: !tpu,
    dispatchComputeShare: tpu ? 0 : dispatchUnits / 132,
    twoBatchOverlap: false,
    redundantExperts: 0,
    expertImbalance: 1,
    contextLayouts: tpu ? ['gather'] : contextLayouts,
    attentionFlops: 'causal',
    regatherActivations: true,
    residual: 'sequence',
    tokensDivideFreely: false,
    schedules: tpu ? ['gpipe'] : offeredSchedules,
    shardedPipelines: tpu,
    policies: tpu ? [...everyPolicy, ...hostPolicies] : ['none', 'selective', 'full'],
    zeroStages: tpu ? [0, 1, 3] : zeroStages,
    frameworks,
    searchTensor2: false,
    searchWeightLayouts: tpu,
    padHeads: tpu,
    activations: 'counted',
    masterWeights: true,
    gradientBuffer: true,
    workspace: true,
    lossChunks: 1,
    recomputeLogits: tpu,
    elementwise: true,
    elementwiseFactor: tpu ? 1 : unfused,
    optimizerStep: true,
    reserveFraction: tpu ? 0.03 : 0.06,
    reserveBytes: tpu ? 0 : 2 ** 30,
  }
}

export function namedAssumptions(basis: Assumptions['basis'], { kind, efficiency }: Chip): Assumptions {
  return basis === 'book' ? book : calibrated(kind, efficiency)
}

/** The fields that differ from those of their basis. */
export function overridesOf(assumptions: Assumptions, chip: Chip): Partial<Assumptions> {
  const named = new Map<string, unknown>(Object.entries(namedAssumptions(assumptions.basis, chip)))
  const differs = ([name, value]: [string, unknown]) => String(value) !== String(named.get(name))
  return Object.fromEntries(Object.entries(assumptions).filter(differs))
}
