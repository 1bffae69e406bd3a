/**
 * Tokens and sequences of a step that vLLM's API server takes by default, by the chip. Source: vllm-project/vllm,
 * vllm/engine/arg_utils.py (EngineArgs.get_batch_defaults: `device_memory >= 70 * GiB_bytes and "a100" not in
 * device_name`; of TPUs by their names).
 */
import type { Chip } from '../../hardware/chip.ts'

const leastBytes = 70 * 2 ** 30
const large = { tokens: 8192, sequences: 1024 }
const others = { tokens: 2048, sequences: 256 }
const ofTpus: Readonly<Record<string, number>> = { 'tpu-v6e': 1024, 'tpu-v5e': 512, 'tpu-v5p': 256 }

type Step = typeof others

export function defaultStep({ name, kind, hbmBytes }: Pick<Chip, 'name' | 'kind' | 'hbmBytes'>): Step {
  const usual = hbmBytes >= leastBytes && !/a100/i.test(name) ? large : others
  return kind === 'tpu' ? { ...usual, tokens: ofTpus[name] ?? others.tokens } : usual
}
