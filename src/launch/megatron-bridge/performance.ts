/**
 * Options of the performance scripts, with the overrides that their values stand for. What a value turns off is what the
 * scripts leave to the recipe. Source: NVIDIA-NeMo/Megatron-Bridge v0.6.0, scripts/performance/{argument_parser.py,
 * utils/overrides.py,utils/precision.py}; the same at f7a9428 and c810129, which published recipes check out.
 */
import { ownValue } from '../../fields.ts'
import { wordsOf } from '../read/left-over.ts'
import type { Misnamed } from '../read/reading.ts'

/** Overrides by value; null where a value asks for what is not counted. */
type Values = Readonly<Record<string, string | null>>

/** What an option stands for: `key=value` each. */
export interface Stands {
  readonly overrides: readonly string[]
  readonly isCounted: boolean
}

export const computeType = '--compute_dtype'

/** What their recipes of language models set beside (perf_recipes/_common.py, and scripts/performance/configs of older releases). */
export const recipesSet = ['ddp.grad_reduce_in_fp32=false']

const closed: Readonly<Record<string, Values>> = {
  [computeType]: {
    // In bf16 Adam keeps of a master weight what the weight lacks (set_post_overrides).
    bf16: 'mixed_precision=bf16_mixed optimizer.use_precision_aware_optimizer=true',
    fp8_cs: 'mixed_precision=bf16_with_fp8_current_scaling_mixed',
    fp8_mx: 'mixed_precision=bf16_with_mxfp8_mixed',
    fp8_sc: 'mixed_precision=bf16_with_fp8_subchannel_scaling_mixed',
    nvfp4: 'mixed_precision=bf16_with_nvfp4_mixed',
  },
  '--use_megatron_fsdp': {
    true: 'ddp.use_megatron_fsdp=true ddp.data_parallel_sharding_strategy=optim_grads_params model.init_model_with_meta_device=true',
    false: '',
  },
  '--moe_a2a_overlap': {
    true: 'comm_overlap.overlap_moe_expert_parallel_comm=true comm_overlap.delay_wgrad_compute=true',
    false: '',
  },
  '--moe_flex_dispatcher_backend': {
    deepep: 'model.moe_token_dispatcher_type=flex model.moe_flex_dispatcher_backend=deepep',
    hybridep: 'model.moe_token_dispatcher_type=flex model.moe_flex_dispatcher_backend=hybridep',
    None: 'model.moe_token_dispatcher_type=alltoall',
  },
  '--cuda_graph_impl': {
    none: 'model.cuda_graph_impl=none',
    local: 'model.cuda_graph_impl=local',
    transformer_engine: 'model.cuda_graph_impl=transformer_engine',
  },
  '--use_tokendrop': { true: null, false: '' },
  '--nccl_ub': { true: '', false: '' },
  '--task': { pretrain: '', sft: null, peft: null },
}

const free: Readonly<Record<string, (value: string) => string | null>> = {
  // Layers whose activations wait on the host.
  '--activation_offload_layers': (layers) => (layers === '0' ? '' : null),
  '--recompute_modules': (modules) =>
    `model.recompute_granularity=selective model.recompute_modules=[${modules}]`,
  '--recompute_num_layers': (layers) =>
    `model.recompute_granularity=full model.recompute_method=block model.recompute_num_layers=${layers}`,
  '--pipeline_model_parallel_layout': (layout) => `model.pipeline_model_parallel_layout=${layout}`,
  '--cuda_graph_scope': (parts) =>
    parts === 'full_iteration' ? 'model.cuda_graph_impl=full_iteration' : `model.cuda_graph_scope=[${parts}]`,
}

const shorter: Readonly<Record<string, string>> = {
  '-c': computeType,
  '-rl': '--recompute_num_layers',
  '-ol': '--activation_offload_layers',
}

/** What bool_arg of the scripts takes for true and for false. */
const truths: Readonly<Record<string, string>> = Object.fromEntries([
  ...['true', '1', 't', 'yes', 'y'].map((word) => [word, 'true']),
  ...['false', '0', 'f', 'no', 'n'].map((word) => [word, 'false']),
])

/** What an option of the scripts stands for; null for other options, and for values that there are none of. */
export function performanceSaid(name: string, value: string): Stands | null {
  const option = ownValue(shorter, name) ?? name
  const values = ownValue(closed, option)
  const said = values ? ownValue(values, plainly(values, value)) : ownValue(free, option)?.(value)
  return said === undefined ? null : { overrides: wordsOf(said ?? ''), isCounted: said !== null }
}

/** Whether the parser of the scripts refuses the value of an option. */
export function misnamedHere(name: string, value: string | undefined): readonly Misnamed[] {
  if (value === undefined) return []
  const option = ownValue(shorter, name) ?? name
  const values = ownValue(closed, option)
  return values === undefined || Object.hasOwn(values, plainly(values, value))
    ? []
    : [{ option, value, among: Object.keys(values) }]
}

function plainly(values: Values, value: string): string {
  return 'true' in values ? (ownValue(truths, value.toLowerCase()) ?? value) : value
}
