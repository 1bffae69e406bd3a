/**
 * Tokens of a prompt that SGLang processes in one step by default, by the chip's memory. Source: sgl-project/sglang,
 * python/sglang/srt/server_args.py (_handle_gpu_memory_settings).
 */
import type { Bytes } from '../../units.ts'

const chunks = [
  { below: 35 * 2 ** 30, tokens: 2048 },
  { below: 60 * 2 ** 30, tokens: 4096 },
  { below: 160 * 2 ** 30, tokens: 8192 },
]

export function defaultChunk(bytes: Bytes): number {
  return chunks.find(({ below }) => bytes < below)?.tokens ?? 16_384
}
