/**
 * Tokens and sequences of a step that vLLM's API server takes by default, by the chip. Source: vllm-project/vllm,
 * vllm/engine/arg_utils.py (EngineArgs.get_batch_defaults: `device_memory >= 70 * GiB_bytes and "a100" not in
 * device_name`; of TPUs by their names).
 */
import { ownValue } from '../../fields.ts'
import type { Chip } from '../../hardware/chip.ts'
import type { Options } from '../read/options.ts'
import { toStride } from '../server/sent-tokens.ts'
import type { Serving } from '../server/serving.ts'

const leastBytes = 70 * 2 ** 30
const large = { tokens: 8192, sequences: 1024 }
/** Of smaller GPUs, and of A100. */
export const others = { tokens: 2048, sequences: 256 }
const ofTpus: Readonly<Record<string, number>> = { 'tpu-v6e': 1024, 'tpu-v5e': 512, 'tpu-v5p': 256 }

type Step = typeof others

export function defaultStep({ name, kind, hbmBytes }: Pick<Chip, 'name' | 'kind' | 'hbmBytes'>): Step {
  const usual = hbmBytes >= leastBytes && !/a100/i.test(name) ? large : others
  return kind === 'tpu' ? { ...usual, tokens: ownValue(ofTpus, name) ?? others.tokens } : usual
}

/**
 * The same of a command that tells no tokens: `--performance-mode throughput` doubles it, and it has room for the longest request where prompts are
 * not read in parts (the same file, `_set_default_max_num_seqs_and_batched_tokens_args`).
 */
export function usualStep(
  chip: Parameters<typeof defaultStep>[0],
  options: Options,
  longest: number | null,
): Step {
  const usual = stepIn(options, defaultStep(chip))
  return readsInParts(options) ? usual : { ...usual, tokens: Math.max(longest ?? 0, usual.tokens) }
}

export function stepIn(options: Options, { tokens, sequences }: Step): Step {
  const times = options.text('--performance-mode') === 'throughput' ? 2 : 1
  return { tokens: times * tokens, sequences: times * sequences }
}

function readsInParts(options: Options): boolean {
  return !options.isOn('--no-enable-chunked-prefill')
}

/**
 * Tokens that a chip has room to send to experts at once; 0 where other kernels send them, or none. vLLM's buffers are for as many as a step may have
 * (fused_moe/all2all_utils.py 02bd2a4, max_num_tokens_per_dp_rank), and in a pipeline that is no less than all sequences that may run, of which a stage has a part.
 */
export function sentRoom({ sentTokens, sequences }: Pick<Serving, 'sentTokens' | 'sequences'>): number {
  return sentTokens === 0 ? 0 : Math.max(sentTokens, toStride(sequences))
}

/** What a command without --max-num-batched-tokens is read with; `usual` is null where the chip is not known. */
export function unsaidTokens(usual: number | null, options: Options): string {
  const mode = options.text('--performance-mode')
  const why = [
    mode === null ? '' : ` in --performance-mode ${mode}`,
    readsInParts(options) ? '' : ' with room for the longest request, as prompts are not read in parts',
  ]
  return usual === null
    ? '--max-num-batched-tokens is not said: as many tokens in a step as the request allows, where vLLM takes 8192 on chips of 70 GiB and more (A100 apart) and 2048 on others'
    : `--max-num-batched-tokens is not said: ${usual} tokens in a step, as vLLM takes on such chips${why.join('')}`
}

/** vLLM requires a token in each step for every sequence that may run (SchedulerConfig.verify_max_model_len, vllm/config/scheduler.py). */
export function fewTokens(sequences: number | null, told: number | null, most: number | null): string | null {
  if (sequences === null || most === null || most >= sequences) return null
  const what = told === null ? `, which is ${most} on such chips unless told,` : ` ${most}`
  return `vLLM does not start with --max-num-batched-tokens${what} below --max-num-seqs ${sequences}: the nearest are --max-num-batched-tokens ${sequences} and --max-num-seqs ${most}`
}

/** A prompt that is not read in parts has to fit into a step (the same function). */
export function wholePrompts(options: Options, longest: number | null, most: number | null): string | null {
  if (readsInParts(options) || longest === null || most === null || most >= longest) return null
  return `vLLM does not start with --no-enable-chunked-prefill and ${most} tokens in a step, below its longest request of ${longest}: the nearest are --max-num-batched-tokens ${longest} and --max-model-len ${most}`
}
