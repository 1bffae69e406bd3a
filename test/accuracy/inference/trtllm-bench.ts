/**
 * How much trtllm-bench runs at once by default, for one model, prompt and output length:
 *
 *   sequences   as many as it estimates that caches hold, at most 4096, rounded up: the limit of an engine, or of each
 *               rank of attention
 *   tokens      of a step: sequences · (1 + prompt / output), at most 32 768, and no fewer than a prompt and the sequences
 *
 * Its estimate of caches has keys and values for every head, even for latent attention, whose caches are 14 times
 * smaller, so that DeepSeek runs few sequences. For weights it counts elements of the files, in which two of fp4 are
 * one, beside their scales. Types that it has no numbers for (MXFP4) get the defaults of an engine. The scheduler
 * starts a request only if there is room for all of its tokens (GUARANTEED_NO_EVICT). Source: NVIDIA/TensorRT-LLM
 * @04cba8820, tensorrt_llm/bench/build: tuning.py, dataclasses.py and build.py, bench/benchmark/utils/general.py
 * @0171265ed.
 */

import { parameterCount } from '../../../src/model/parameters.ts'
import type { Setting } from '../../../src/problem.ts'
import { elementBytes, elementRow } from '../../../src/recipe/element-type.ts'

export interface EngineSettings {
  readonly sequences: number
  readonly tokens: number
}

/** Of free memory, what caches get: "in many cases" of its documented runs; its default is 0.9. */
export const cacheShare = 0.95

/** BuildConfig.max_batch_size and max_num_tokens. */
const untuned: EngineSettings = { sequences: 2048, tokens: 8192 }

/** Elements of a file for each weight: a byte for two, and one for the scale of sixteen. */
const packed = 1 / 2 + 1 / 16

/** `setting` of the chips of one engine. */
export function engineSettings(
  { model, cluster, precision }: Setting,
  chips: { readonly tensor: number; readonly stages: number },
  prompt: number,
  output: number,
): EngineSettings {
  if (precision.weights === 'mxfp4') {
    return { ...untuned, tokens: Math.max(untuned.tokens, prompt + untuned.sequences) }
  }
  const ranks = chips.tensor * chips.stages
  const headSize = model.attention.latent ? Math.floor(model.dModel / model.heads) : model.headDim
  const perToken =
    2 * model.layers * Math.max(chips.tensor, model.kvHeads) * headSize * elementBytes[precision.kvCache]
  const { plain } = elementRow(precision.weights)
  const elements = parameterCount(model).total * (plain === 'fp4' ? packed : 1)
  const engine = elements * elementBytes[plain]
  const caches = cacheShare * (cluster.chip.hbmBytes * ranks - engine)
  const held = Math.min(caches / (perToken * (prompt + output)), 4096) / chips.stages
  const sequences = roundedUp(held)
  const tokens = Math.min(held * (1 + prompt / output), 32_768)
  return { sequences, tokens: Math.max(2048, tokens, prompt + sequences) }
}

function roundedUp(held: number): number {
  if (held < 256) return Math.max(64, 32 * Math.ceil(held / 32))
  const step = held < 1024 ? 128 : 256
  return step * Math.ceil(held / step)
}
