/**
 * Names of Megatron-LM's options in the ConfigContainer of Megatron Bridge, one per row, used to write plans and to
 * read commands: the override if the option is given, and the one if it is not, as a recipe may have set the field.
 * Element types are chosen by the name of a config. Source: NVIDIA-NeMo/Megatron-Bridge v0.6.0,
 * scripts/training/run_recipe.py,
 * src/megatron/bridge/{recipes,perf_recipes,training/config.py,training/mixed_precision.py}; fields of Megatron Core
 * have the names of its options.
 */
import { compact } from '../../compact.ts'
import { momentSettings } from '../megatron/moments.ts'
import { precisionSettings } from '../megatron/precision.ts'
import type { Options } from '../read/options.ts'

interface Override {
  readonly option: string
  readonly key: string
  readonly kind: 'word' | 'list' | 'switch' | 'off'
  readonly otherwise: string | null
}

const row =
  (kind: Override['kind']) =>
  (option: string, key: string, otherwise: string | null = null): Override => ({
    option,
    key,
    kind,
    otherwise,
  })

const [word, list, turned, off] = [row('word'), row('list'), row('switch'), row('off')]

/** Writes true if the switch is given, false if it is not. */
const either = (option: string, key: string) => turned(option, key, 'false')

export const overrides: readonly Override[] = [
  word('--tensor-model-parallel-size', 'model.tensor_model_parallel_size', '1'),
  either('--sequence-parallel', 'model.sequence_parallel'),
  word('--context-parallel-size', 'model.context_parallel_size', '1'),
  word('--cp-comm-type', 'model.cp_comm_type'),
  word('--pipeline-model-parallel-size', 'model.pipeline_model_parallel_size', '1'),
  word('--num-virtual-stages-per-pipeline-rank', 'model.virtual_pipeline_model_parallel_size', 'null'),
  word('--pipeline-model-parallel-layout', 'model.pipeline_model_parallel_layout', 'null'),
  word('--decoder-first-pipeline-num-layers', 'model.num_layers_in_first_pipeline_stage', 'null'),
  word('--decoder-last-pipeline-num-layers', 'model.num_layers_in_last_pipeline_stage', 'null'),
  either('--account-for-embedding-in-pipeline-split', 'model.account_for_embedding_in_pipeline_split'),
  either('--account-for-loss-in-pipeline-split', 'model.account_for_loss_in_pipeline_split'),
  turned('--use-tp-pp-dp-mapping', 'dist.use_tp_pp_dp_mapping'),
  word('--expert-model-parallel-size', 'model.expert_model_parallel_size'),
  word('--expert-tensor-parallel-size', 'model.expert_tensor_parallel_size'),
  word('--moe-token-dispatcher-type', 'model.moe_token_dispatcher_type'),
  word('--moe-flex-dispatcher-backend', 'model.moe_flex_dispatcher_backend'),
  word('--moe-router-dtype', 'model.moe_router_dtype'),
  word('--seq-length', 'dataset.seq_length'),
  word('--micro-batch-size', 'train.micro_batch_size'),
  word('--global-batch-size', 'train.global_batch_size'),
  word('--optimizer', 'optimizer.optimizer'),
  word('--sgd-momentum', 'optimizer.sgd_momentum'),
  // Either of the two fields turns it on.
  either('--use-distributed-optimizer', 'ddp.use_distributed_optimizer'),
  either('--use-distributed-optimizer', 'optimizer.use_distributed_optimizer'),
  either('--use-megatron-fsdp', 'ddp.use_megatron_fsdp'),
  word('--data-parallel-sharding-strategy', 'ddp.data_parallel_sharding_strategy'),
  word('--num-distributed-optimizer-instances', 'ddp.num_distributed_optimizer_instances'),
  word('--ckpt-format', 'checkpoint.ckpt_format'),
  off('--no-gradient-accumulation-fusion', 'model.gradient_accumulation_fusion'),
  turned('--init-model-with-meta-device', 'model.init_model_with_meta_device'),
  either('--overlap-grad-reduce', 'ddp.overlap_grad_reduce'),
  either('--overlap-param-gather', 'ddp.overlap_param_gather'),
  turned('--optimizer-cpu-offload', 'optimizer.optimizer_cpu_offload'),
  turned('--overlap-cpu-optimizer-d2h-h2d', 'optimizer.overlap_cpu_optimizer_d2h_h2d'),
  turned('--use-precision-aware-optimizer', 'optimizer.use_precision_aware_optimizer'),
  // Megatron-LM has no option for this field of its own.
  off(momentSettings.mastersWhole.option, 'optimizer.store_param_remainders'),
  word('--main-params-dtype', 'optimizer.main_params_dtype'),
  word('--exp-avg-dtype', 'optimizer.exp_avg_dtype'),
  word('--exp-avg-sq-dtype', 'optimizer.exp_avg_sq_dtype'),
  turned('--accumulate-allreduce-grads-in-fp32', 'ddp.grad_reduce_in_fp32'),
  off('--grad-reduce-in-bf16', 'ddp.grad_reduce_in_fp32'),
  word('--recompute-granularity', 'model.recompute_granularity', 'null'),
  word('--recompute-method', 'model.recompute_method', 'null'),
  word('--recompute-num-layers', 'model.recompute_num_layers', 'null'),
  list('--recompute-modules', 'model.recompute_modules'),
  word('--cuda-graph-impl', 'model.cuda_graph_impl', 'none'),
  list('--cuda-graph-modules', 'model.cuda_graph_scope', '[]'),
  off('--no-check-for-nan-in-loss-and-grad', 'ddp.check_for_nan_in_grad'),
  turned('--overlap-moe-expert-parallel-comm', 'comm_overlap.overlap_moe_expert_parallel_comm'),
  turned('--delay-wgrad-compute', 'comm_overlap.delay_wgrad_compute'),
  turned('--moe-paged-stash', 'model.moe_paged_stash'),
  word('--moe-paged-stash-buffer-size-factor-cuda', 'model.moe_paged_stash_buffer_size_factor_cuda'),
  word('--moe-paged-stash-buffer-size-factor-cpu', 'model.moe_paged_stash_buffer_size_factor_cpu'),
  word('--moe-expert-rank-capacity-factor', 'model.moe_expert_rank_capacity_factor'),
  turned('--moe-pad-experts-for-cuda-graph-inference', 'model.moe_pad_experts_for_cuda_graph_inference'),
  turned('--use-transformer-engine-op-fuser', 'model.use_transformer_engine_op_fuser'),
  word('--moe-mlp-glu-interleave-size', 'model.moe_mlp_glu_interleave_size'),
]

/** Overrides that go with synthetic data, which is a data set of run_recipe.py itself. */
const ofMadeUpData: readonly Override[] = [
  word('--train-iters', 'train.train_iters'),
  word('--eval-iters', 'validation.eval_iters'),
  turned('--moe-router-force-load-balancing', 'model.moe_router_force_load_balancing'),
]

/** Fields of the recipe's precision, which commands may say one by one. */
const ofPrecision: readonly Override[] = [
  word('--fp8-format', 'mixed_precision.fp8'),
  word('--fp8-recipe', 'mixed_precision.fp8_recipe'),
  turned('--fp8-param-gather', 'mixed_precision.fp8_param_gather'),
  turned('--fp8-param-gather', 'mixed_precision.fp8_param'),
  turned('--accumulate-allreduce-grads-in-fp32', 'mixed_precision.grad_reduce_in_fp32'),
  off('--grad-reduce-in-bf16', 'mixed_precision.grad_reduce_in_fp32'),
]

/**
 * Fields of other configs over which those of the recipe's precision are set when training starts, whatever a command says
 * (src/megatron/bridge/training/mixed_precision.py, update_config_with_precision_overrides, @067f987df0).
 */
const overwritten = /^(model|ddp|optimizer)\.(fp[48](_recipe|_param|_param_gather)?|first_last_layers_bf16)$/

/** A note on what is said of element types where it changes nothing; null if nothing is. */
export function overwrittenNote(said: readonly string[]): string | null {
  if (said.length === 0) return null
  const asked = said.map((one) => one.replace(/^.*=/, ''))
  const [, name] = precisions.find(([recipe]) => recipe !== null && asked.includes(recipe)) ?? []
  return `${said.join(' ')} ${said.length > 1 ? 'change' : 'changes'} nothing: the recipe's ${precisionKey} is set over model, ddp and optimizer when training starts; ${precisionKey}=${name ?? 'bf16_with_…_mixed'} asks for it`
}

export function isOverwritten(key: string): boolean {
  return overwritten.test(key)
}

const fp4Recipe = 'nvfp4'

const { fp8Gathered, buffersReused, fp4Gathered } = precisionSettings.rows

/** Names of precision configs by the recipe of fp8 or fp4, with the option by which weights are kept so; the first is without either. */
const precisions: readonly (readonly [recipe: string | null, name: string, gathers?: string])[] = [
  [null, 'bf16_mixed'],
  ['delayed', 'bf16_with_fp8_delayed_scaling_mixed', fp8Gathered.option],
  ['mxfp8', 'bf16_with_mxfp8_mixed', fp8Gathered.option],
  ['tensorwise', 'bf16_with_fp8_current_scaling_mixed', fp8Gathered.option],
  ['blockwise', 'bf16_with_fp8_subchannel_scaling_mixed'],
  [fp4Recipe, 'bf16_with_nvfp4_mixed', fp4Gathered.option],
]

const precisionKey = 'mixed_precision'

/** Overrides in the order of the table; null if no precision config fits. Options without a row are skipped. */
export function overridesOf(options: Options): readonly string[] | null {
  const recipe = options.text('--fp8-recipe') ?? options.text('--fp4-recipe')
  const [, name, gathers] = precisions.find(([own]) => own === recipe) ?? []
  options.has(buffersReused.option)
  const gathered = [fp8Gathered, fp4Gathered].map(({ option }) => options.has(option))
  const apart = gathered.includes(true) !== (gathers !== undefined)
  const wide = !options.has('--bf16')
  for (const one of ['--fp4-format', '--fp8-format', '--fp8-amax-history-len', '--fp8-amax-compute-algo'])
    options.has(one)
  // Its precision configs reduce gradients in fp32, which is also how Megatron-FSDP reduces them there.
  const narrow = options.text('--megatron-fsdp-main-grads-dtype') === 'bf16'
  // Its fp8 is a type of torch, where moments in fp8 are bytes (torch.uint8).
  const bytes = options.text('--exp-avg-dtype') === 'fp8'
  // It does not deal out Muon's matrices by the name and the switch that Megatron-LM does it by.
  const emerging = !/^(adam|sgd)$/.test(options.text('--optimizer') ?? 'adam')
  if (wide || !name || apart || narrow || bytes || emerging || options.has('--grad-reduce-in-bf16'))
    return null
  return [`${precisionKey}=${name}`, ...overridden(overrides, options)]
}

export function madeUpOverrides(options: Options): readonly string[] {
  return overridden(ofMadeUpData, options)
}

function overridden(rows: readonly Override[], options: Options): readonly string[] {
  return rows.flatMap(({ option, key, kind, otherwise }) => {
    const values = options.values(option)
    if (values === null) return otherwise === null ? [] : [`${key}=${otherwise}`]
    if (kind === 'list') return [`${key}=[${values.join(',')}]`]
    if (kind === 'word') return [`${key}=${quoted(values[0] ?? '')}`]
    return [`${key}=${kind === 'switch'}`]
  })
}

/** Words that Hydra takes as they are stay; others become JSON. */
function quoted(value: string): string {
  return /^[\w.+-]+$/.test(value) ? value : JSON.stringify(value)
}

/** The options of Megatron-LM that an override stands for; null if the table has no such key. */
export function optionsSaid(key: string, value: string): readonly string[] | null {
  const plain = value.replace(/^(["'])([\s\S]*)\1$/, '$2')
  if (key === precisionKey) return precisionSaid(plain)
  const rows = [...overrides, ...ofPrecision].filter((own) => own.key === key)
  if (rows.length === 0) return null
  if (/^(null|none)$/i.test(plain)) return []
  const [first] = rows
  const truth = /^true$/i.test(plain)
  if (first?.kind === 'list') return listSaid(first.option, plain)
  if (first?.kind === 'word') return [first.option, plain]
  return rows.filter(({ kind }) => (kind === 'switch') === truth).map(({ option }) => option)
}

function listSaid(option: string, value: string): readonly string[] {
  const items = value.replace(/^\[|\]$/g, '').split(/[,\s]+/)
  const own = items.map((item) => item.replace(/^["']|["']$/g, '')).filter(Boolean)
  return own.length > 0 ? [option, ...own] : []
}

function precisionSaid(name: string): readonly string[] | null {
  const found = precisions.find(([, own]) => own === name)
  if (!found) return null
  const [recipe, , gathers] = found
  if (recipe === null) return ['--bf16']
  const own =
    recipe === fp4Recipe
      ? ['--fp4-format', 'e2m1', '--fp4-recipe']
      : ['--fp8-format', 'hybrid', '--fp8-recipe']
  return compact('--bf16', own, recipe, gathers)
}
