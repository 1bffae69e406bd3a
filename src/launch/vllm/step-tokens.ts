/**
 * Tokens of a step that vLLM's API server takes by default, by the chip. Source: vllm-project/vllm,
 * vllm/engine/arg_utils.py (EngineArgs.get_batch_defaults: `device_memory >= 70 * GiB_bytes and "a100" not in
 * device_name`; of TPUs by their names).
 */
import type { Chip } from '../../hardware/chip.ts'

const large = { leastBytes: 70 * 2 ** 30, tokens: 8192 }
const others = 2048
const ofTpus: Readonly<Record<string, number>> = { 'tpu-v6e': 1024, 'tpu-v5e': 512, 'tpu-v5p': 256 }

export function defaultStepTokens({
  name,
  kind,
  hbmBytes,
}: Pick<Chip, 'name' | 'kind' | 'hbmBytes'>): number {
  if (kind === 'tpu') return ofTpus[name] ?? others
  return hbmBytes >= large.leastBytes && !/a100/i.test(name) ? large.tokens : others
}
