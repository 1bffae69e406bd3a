/**
 * By what numbers in fp8 are scaled in Megatron-LM's command (`--fp8-recipe`):
 *
 *   mxfp8        a scale for each 32 numbers, on chips whose matmuls take one
 *   delayed      a scale for each tensor, of its recent maxima: its default, and its example for Llama 3 on H100
 *   tensorwise   a scale for each tensor, of the numbers at hand: where what is recomputed needs these; in Megatron-Bridge's recipes fp8_cs
 *
 * Source: core_v0.19.0, megatron/core/transformer/transformer_config.py, lines 1821 to 1827; NVIDIA-NeMo/Megatron-Bridge @2e7ec2afaa,
 * src/megatron/bridge/perf_recipes/deepseek/h100/deepseek_v3.py.
 */
import { scalesBlocks } from '../../hardware/peak.ts'
import type { Run } from '../run/run.ts'
import { megatronRecomputation } from './recomputation.ts'

/** The recipe by which Adam's kernel casts weights itself. */
export const delayed = 'delayed'

export const tensorwise = 'tensorwise'

export const mxfp8 = 'mxfp8'

/** Modules that it recomputes only where they are scaled by the numbers at hand: a second pass forward would enter its maxima twice. */
export const scaledAtHand = ['layernorm', 'moe_act'] as const

/** Null for a run without fp8. */
export function fp8Recipe(run: Run): string | null {
  const { precision, cluster } = run.problem
  if (precision.compute !== 'fp8') return null
  if (scalesBlocks(cluster.chip)) return mxfp8
  const modules: readonly string[] = megatronRecomputation(run)?.modules ?? []
  return scaledAtHand.some((name) => modules.includes(name)) ? tensorwise : delayed
}
