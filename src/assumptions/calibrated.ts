/** What a cluster does, by kind of chip. The efficiencies are the chip's own (fixtures/hardware, each with its source). */
import { servedUnevenness } from '../cost/communication/uneven-routing.ts'
import type { ChipKind, Efficiency } from '../hardware/chip.ts'
import { frameworks } from '../launch/framework.ts'
import { maxtextPolicies } from '../launch/maxtext/recomputation.ts'
import { unstated } from '../recipe/expert-recipes.ts'
import type { PolicyName } from '../recipe/policies.ts'
import { zeroStages } from '../sharding/states.ts'
import { contextLayouts } from '../sharding/tables/context-layout.ts'
import type { Assumptions } from './assumptions.ts'
import { offeredSchedules } from './book.ts'
import { servingOverhead } from './serving-overhead.ts'
import { noStack } from './stack.ts'

/** What Megatron-LM and torchtitan offer; MaxText has policies of its own, and is the only framework that keeps arrays on the host. */
const gpuPolicies: readonly PolicyName[] = [
  'none',
  'selective',
  'full',
  'mla_up_proj',
  'layernorm+mla_up_proj+moe_act',
  'mlp',
  'moe_act',
  'layernorm+moe_act',
]

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
 * Copies of tokens are sorted, cast and summed by kernels that gather and scatter rows, which no compiler fuses: with their activation
 * functions they take 3 times as long as streaming their bytes once. Fit, together with what a layer with experts takes beside its
 * kernels (stacks), as one factor for all, to the 33 configurations of mixtures on Hopper and Blackwell marked for fitting; 2.5 and 4 do
 * nearly as well.
 */
const unfusedOfExperts = 3

/**
 * Time of a grouped matmul of MaxText on TPUs beside its FLOPs: these lose more, the smaller they are. The two rows that may be fitted on
 * (gpt-oss-120b on TPU7x, 14 % MFU, 85 GFLOP for an expert's matmul) ask for less than a third of what plain matmuls reach; no kernel was
 * measured, so grouped ones are held to half, which takes this much longer.
 */
const groupedOnTpu = 3.7e-5

/**
 * Under FSDP weights are fetched for layer after layer, beside kernels that want the same compute units and HBM. Of 119 configurations
 * marked for fitting (llm-foundry), those whose network is busy for less than 5, 10 and 20 % of what is computed were predicted at 0.995,
 * 0.98 and 0.95 of what was measured with 0.9 of it hidden: what is lost is in proportion from the start, so a share describes it and a
 * rounded maximum does not. 0.7 leaves the least error (mean log error 0.0319 to 0.0304; A100 alone 0.8, H100 0.6). TPUs, whose links take
 * neither compute units nor HBM from kernels, hide as much of it as of everything that is prefetched.
 */
const hiddenOfGathered = { gpu: 0.7, tpu: 0.9 }

/**
 * Steps take longer with more nodes even where all communication hides: each waits for the slowest. Fit to the same rows, 8 to 512 chips;
 * it stays at 5 to 10 ms whichever part of them is left out. A share of the step fits as well there (1 %), but long steps of many thousand
 * chips do not lose it (Llama 3, arXiv 2407.21783, table 4: 41 % MFU on 16 384). TPUs have none, since their efficiencies are stated and
 * not fitted.
 */
const stragglers = 8e-3

/**
 * Quantising included, large fp8 matmuls reach 0.87 to 0.91 of the fraction of peak that bf16 ones do, on H100, H200, B200, B300,
 * GB200 and GB300 (ai-dynamo/aiconfigurator @095f58a51c4c, TensorRT-LLM kernels, saturation fits).
 */
const fp8Share = 0.88

/**
 * The same for NVFP4, whose peak is four times that of bf16: 0.66 and 0.68 on B200 and GB200; less on B300 and
 * GB300, whose peak is half as high again.
 */
const fp4Share = 0.66

/** Fraction of HBM bandwidth that kernels of paged caches reach on TPUs: fit to the same rows as a server's step there. */
const pagedOnTpu = 0.44

/**
 * Share of the memory that the driver reports which a process takes beside its arrays (CUDA's context 1 %, NCCL's buffers 1 to 2 %) and
 * which fragmentation loses: 6 % and 1 GiB of 80 before they were one number. XLA lays a program out before it runs and holds
 * back 260 MiB; libtpu's figure leaves out what the chip itself keeps. Every run of fixtures/measurements that ran fits.
 */
const margin = { gpu: 0.07, tpu: 0.03 }

/**
 * SMs that DeepSeek-V3 gives to its AllToAll kernels (arXiv 2412.19437, section 3.2.2), of the 132 of an H800: DeepEP's default, which SGLang and
 * vLLM (VLLM_DBO_COMM_SMS) take. DeepSeek's profile of prefill has 24.
 */
const dispatchUnits = 20

/**
 * What routing adds to a layer with experts in each pass. Qwen3-30B-A3B on 16 H100, 64 microbatches of 48 layers, a step of 24.71 s: the
 * chip is idle for 1.89 s of it, and the exchange of counts takes 0.67 s where chips need not wait for each other, 0.31 + 0.11 ms a layer
 * and pass. Source: NVIDIA-NeMo/Megatron-Bridge @067f987df0, skills/nemo-mbridge-perf-moe-comm-overlap/SKILL.md. On TPUs a compiled
 * program waits for no host.
 */
const routing = 4e-4

/**
 * No public trainer sends tokens in fewer bits unless told to, and all but Megatron Core's NCCL EP, in no release up to core_v0.19.0, cannot:
 * NVIDIA/Megatron-LM fused_a2a.py at core_v0.12.0 to core_v0.19.0 (DeepEP sends what it is given, bf16; HybridEP asserts `not fp8_dispatch`) and
 * @d98e8a64dd (`moe_dispatch_fwd_dtype` bf16), pytorch/torchtitan @b5bcd76c6c distributed/deepep (`use_fp8_dispatch` False), and
 * AI-Hypercomputer/maxtext @e591f30cba layers/moe.py, which quantises in the grouped matmul, past its ragged AllToAll.
 */
const narrowDispatch = false

/** The assumptions for a kind of chip: stated starting values and fits, with the chip's own efficiencies. */
export function calibrated(kind: ChipKind, efficiency: Efficiency): Assumptions {
  const tpu = kind === 'tpu'
  return {
    basis: 'calibrated',
    stack: noStack,
    expertRecipe: unstated,
    matmulEfficiency: sustained * efficiency.matmul,
    matmulHalfFlops: efficiency.matmulHalfFlops,
    groupedMatmulSeconds: tpu ? groupedOnTpu : 0,
    groupedCastSeconds: 0,
    attentionEfficiency: efficiency.attention,
    attentionHalfKeys: efficiency.attentionHalfKeys ?? 0,
    sustainedShare: efficiency.sustained ?? 1,
    fp8Share,
    fp4Share,
    hbmEfficiency: efficiency.hbm,
    cacheEfficiency: efficiency.cache ?? (tpu ? pagedOnTpu : efficiency.hbm),
    scaleUpEfficiency: efficiency.scaleUp,
    scaleOutEfficiency: efficiency.scaleOut,
    scaleUpHalfBytes: efficiency.scaleUpHalfBytes ?? 0,
    latencyFactor: 1,
    layerOverheadSeconds: tpu ? 2e-5 : 5e-5,
    expertLayerOverheadSeconds: tpu ? 0 : routing,
    stepOverheadSeconds: tpu ? 5e-3 : 1e-2,
    stragglerSeconds: tpu ? 0 : stragglers,
    ...servingOverhead(tpu),
    overlapPrefetched: 0.9,
    overlapGathered: hiddenOfGathered[kind],
    expertOverlapGathered: 1,
    overlapCriticalPath: tpu ? 0.6 : 0.3,
    overlapExchange: 0,
    overlapDispatch: 0,
    overlapInference: 0,
    finiteRings: true,
    inNetworkReduction: false,
    hierarchicalDispatch: !tpu,
    narrowDispatch,
    expertTensor: tpu ? 'sliced' : 'whole',
    choicesApart: false,
    directGeneration: !tpu,
    dispatchComputeShare: tpu ? 0 : dispatchUnits / 132,
    twoBatchOverlap: false,
    redundantExperts: 0,
    expertImbalance: 1,
    expertUnevenness: servedUnevenness,
    contextLayouts: tpu ? ['gather'] : contextLayouts,
    attentionFlops: 'causal',
    regatherActivations: true,
    residual: 'sequence',
    tokensDivideFreely: false,
    schedules: tpu ? ['gpipe'] : offeredSchedules,
    shardedPipelines: tpu,
    policies: tpu ? maxtextPolicies : gpuPolicies,
    zeroStages: tpu ? [0, 1, 3] : zeroStages,
    frameworks,
    searchTensor2: false,
    searchWeightLayouts: tpu,
    padHeads: tpu,
    activations: 'counted',
    masterWeights: true,
    masterRemainders: false,
    optimizerOnHost: false,
    gradientBuffer: true,
    fusedAccumulation: true,
    gradientsBesideSum: tpu,
    expertBufferFactor: tpu ? 0 : 1,
    endsOnEveryStage: tpu,
    workspace: true,
    userBuffers: false,
    layersGathered: tpu ? 1 : 2,
    lossChunks: 1,
    narrowOperands: !tpu,
    weightCopies: tpu ? 'none' : 'instead',
    logitsInFp32: !tpu,
    recomputation: tpu ? 'needed' : 'whole',
    recomputeLogits: tpu,
    elementwise: true,
    wholeStreams: !tpu,
    elementwiseFactor: tpu ? 1 : unfused,
    recurrenceFactor: tpu ? 1 : unfused,
    expertElementwiseFactor: unfusedOfExperts,
    optimizerStep: true,
    reserveFraction: margin[kind],
  }
}
