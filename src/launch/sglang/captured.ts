/**
 * What SGLang captures in graphs by default, and the memory that it keeps for them. Source: sgl-project/sglang 001067f, server_args.py
 * (_handle_gpu_memory_settings, reserve_for_graph_mb, _generate_prefill_cuda_graph_batch_sizes).
 */
import type { Bytes } from '../../units.ts'

const gibibyte = 2 ** 30
const mebibyte = 2 ** 20

/** The largest batch of a step, by the chip's memory, for fewer than four tensor chips and for more. */
const captured = [
  { below: 20 * gibibyte, few: 8, more: 8 },
  { below: 35 * gibibyte, few: 24, more: 80 },
  { below: 60 * gibibyte, few: 32, more: 160 },
  { below: 160 * gibibyte, few: 256, more: 512 },
  { below: Number.POSITIVE_INFINITY, few: 512, more: 512 },
]

export function capturedSequences(hbmBytes: Bytes, tensors: number): number {
  const { few = 0, more = 0 } = captured.find(({ below }) => hbmBytes < below) ?? {}
  return tensors < 4 ? few : more
}

/** Tokens of prompts that have a graph, in steps up to each size; beyond the last it goes on. */
const promptSizes = [
  { upTo: 32, every: 4 },
  { upTo: 256, every: 16 },
  { upTo: 512, every: 32 },
  { upTo: 1024, every: 64 },
  { upTo: 4096, every: 256 },
  { upTo: Number.POSITIVE_INFINITY, every: 512 },
]

/** Number of sizes of prompts, up to so many tokens, that have a graph. */
function promptGraphs(most: number): number {
  return promptSizes.reduce(
    ({ graphs, from }, { upTo, every }) => ({
      graphs: graphs + Math.max(0, Math.floor((Math.min(most, upTo) - from) / every)),
      from: upTo,
    }),
    { graphs: 0, from: 0 },
  ).graphs
}

export interface Graphs {
  /** The largest batch of a step that has a graph; 0 where no step has one. */
  readonly sequences: number
  /** Groups of attention that gather the tokens of one another; 1 where none do. */
  readonly gathers: number
  /** The most tokens of prompts that have a graph; 0 where none do. */
  readonly tokens: number
  readonly latent: boolean
}

/** Graphs of steps and of prompts: those of prompts take more with latent attention, those of groups that gather more for each group. */
export function graphBytes({ sequences, gathers, tokens, latent }: Graphs): Bytes {
  const grouped = gathers > 1 ? gathers * (sequences > 300 ? 4.5 : 3) : 0
  const prompts = tokens > 0 && latent ? 1536 : 8 * promptGraphs(tokens)
  return mebibyte * (sequences * (2 + grouped) + prompts)
}

/** More chips of a server take more, an eighth of a gibibyte each. */
export function parallelBytes(ranks: number): Bytes {
  return (ranks / 8) * gibibyte
}
