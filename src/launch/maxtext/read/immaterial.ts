/** MaxText keys that do not affect the cost as it is counted. */
import { compact } from '../../../compact.ts'
import type { Keys } from '../../read/fields.ts'
import { beginningWith } from '../../read/left-over.ts'

/**
 * Key prefixes: names, paths, logs, data, learning rates, kernels that plans assume anyway and their tiles, how scales of narrow types are
 * found, along which of its dimensions an expert's weights are cut (all are gathered), and what other keys imply.
 */
export const isImmaterial = beginningWith(`
  run_name base_output dataset tokenizer steps enable_ hardware attention max_segments async_
  log_ profiler skip_first gcs_ reuse_ use_iota scan_layers hf_ eval checkpoint save_ learning warmup adam
  gradient_clipping opt_ cosine rope normal use_ sa_ megablox sparse_ capacity allow_split tile_ xla_
  monitor metrics jax_ compile libtpu vertex upload packing grain data_ load_ init_ dropout enable_dropout
  logits_dot float32 final_ attn_ local_rope image num_slices context_parallel_load model_call override
  norm_topk inhomogeneous fused vision shardy stack goodput ragged skip_jax profile_ dq_reduction output_dir
  wi_tile_ wo_tile_ local_sa_ local_use_splash cost_estimate_flops weight_quantization_calibration
  act_quantization_calibration shard_exp_on_fsdp fsdp_shard_on_exp
`)

/** What a config says elsewhere, or in rules of its own, of how arrays lie. */
export function elsewhereNotes(keys: Keys): readonly string[] {
  const base = keys.text('base_config', usualBase)
  const own = ['logical_axis_rules', 'data_sharding', ...meshRules].filter((key) => isSaid(keys, key))
  return compact(
    !base.endsWith(usualBase) &&
      `what ${base.slice(0, 100)} sets itself is not here: MaxText's own defaults are taken for it`,
    own.length > 0 &&
      `${own.join(', ')}: arrays are counted as they lie by MaxText's own rules, not by these`,
  )
}

const meshRules = ['mesh_axes', 'custom_mesh', 'custom_mesh_and_rule']

/** Whether the mesh has an order, or a place, that its keys say themselves. */
export function isLaidElsewhere(keys: Keys): boolean {
  return meshRules.some((key) => isSaid(keys, key))
}

/** Whether sequences may be shared out in another way than by MaxText's own rules. */
export function isSharedElsewhere(keys: Keys): boolean {
  return isLaidElsewhere(keys) || isSaid(keys, 'logical_axis_rules')
}

function isSaid(keys: Keys, key: string): boolean {
  return keys.value(key) !== undefined && keys.text(key, '') !== ''
}

const usualBase = 'base.yml'
