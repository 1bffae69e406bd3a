/**
 * What Google's recipes of a chip hand to the compiler: memory of the vector unit for its kernels, and collectives that run beside
 * matmuls, which plans assume. Chips without a recipe get none. Sources: AI-Hypercomputer/maxtext e591f30,
 * benchmarks/xla_flags_library.py (DENSE_VMEM_LIMIT_FLAG, CF_FOR_ALL_GATHER, HOST_OFFLOAD_FLAGS), as
 * maxtext_v5p_model_configs.py and maxtext_trillium_model_configs.py take them; AI-Hypercomputer/tpu-recipes c8cfe2f,
 * training/ironwood/llama3.1-70b/8k-bf16-tpu7x-4x4x4.
 */

import { ownValue } from '../../fields.ts'
import { kinOf } from '../../hardware/kin.ts'
import type { Run } from '../run/run.ts'
import { offloadsActivations } from './recomputation.ts'

const fusion = `
  --xla_tpu_scoped_vmem_limit_kib=98304 --xla_tpu_enable_async_collective_fusion=true
  --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true
  --xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true
  --xla_enable_async_all_gather=true`

const sparseCore = `
  --xla_tpu_scoped_vmem_limit_kib=61440 --xla_tpu_bf16_emission_mode=NATIVE_EMISSION
  --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true
  --xla_tpu_use_single_sparse_core_for_all_gather_offload=true`

const ofChip: Readonly<Record<string, string>> = {
  'tpu-v5p': fusion,
  'tpu-v6e': fusion,
  'tpu-7x': sparseCore,
}

const offloading = `
  --xla_tpu_enable_all_experimental_scheduler_features=true
  --xla_tpu_enable_scheduler_memory_pressure_tracking=true --xla_tpu_host_transfer_overlap_limit=24
  --xla_tpu_aggressive_opt_barrier_removal=ENABLED --xla_lhs_prioritize_async_depth_over_stall=ENABLED
  --xla_tpu_enable_ag_backward_pipelining=true
  --xla_should_allow_loop_variant_parameter_in_chain=ENABLED
  --xla_should_add_loop_invariant_op_in_chain=ENABLED --xla_max_concurrent_host_send_recv=100
  --xla_tpu_scheduler_percent_shared_memory_limit=100 --xla_latency_hiding_scheduler_rerun=2`

/** The environment of the command, with a space behind it; empty where there is nothing to say. */
export function libtpuArguments(run: Run): string {
  const { cluster, assumptions } = run.problem
  if (cluster.chip.kind !== 'tpu') return ''
  const away = offloadsActivations(run) || assumptions.optimizerOnHost
  const flags = `${ownValue(ofChip, kinOf(cluster.chip) ?? '') ?? ''}${away ? offloading : ''}`
    .trim()
    .split(/\s+/)
    .join(' ')
  return flags === '' ? '' : `LIBTPU_INIT_ARGS='${flags}' `
}
