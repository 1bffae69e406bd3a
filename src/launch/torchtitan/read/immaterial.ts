/** Settings of torchtitan that do not affect the layout: whole sections, and single keys of others. Source: as config.ts. */
import { wordsOf } from '../../read/left-over.ts'

const sections = wordsOf(`
  job profiling metrics lr_scheduler checkpoint comm validation debug fault_tolerance compile
  memory_estimation
`)

/** `optimizer.early_step_in_backward` is gone from releases since 2025, where it did nothing. */
const keys = wordsOf(`
  model.hf_assets_path model.tokenizer_path model.print_after_conversion training.steps training.max_norm
  training.dataset training.dataset_path training.gc_freq training.gc_debug training.mixed_precision_reduce
  parallelism.disable_loss_parallel activation_checkpoint.early_stop
  parallelism.context_parallel_load_balancer parallelism.enable_async_tensor_parallel optimizer.lr
  optimizer.eps optimizer.beta1 optimizer.beta2 optimizer.weight_decay optimizer.implementation
  optimizer.early_step_in_backward
`)

export function isImmaterial(leaf: string): boolean {
  return sections.includes(leaf.split('.')[0] ?? '') || keys.includes(leaf)
}
