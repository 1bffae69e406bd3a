/**
 * The share of a chip's memory that SGLang gives weights and caches where --mem-fraction-static is not said: what it keeps for a step's tokens, for
 * graphs and for DeepEP is taken off the whole, at least 10 GiB of a large chip. Sizing pools after graphs were captured
 * (SGLANG_ENABLE_POST_CAPTURE_KV_SIZING) is off by default. What it takes off more for models that see images is not counted. Source:
 * sgl-project/sglang 001067f, server_args.py (_handle_gpu_memory_settings, reserve_for_deepep_a2a_mb), environ.py; 0.828 on two H100 as in its issue 29092.
 */
import type { Options } from '../read/options.ts'
import type { ReadingContext } from '../read/reading.ts'
import { capturedSequences, graphBytes, parallelBytes } from './captured.ts'

const mebibyte = 2 ** 20
const gibibyte = 2 ** 30

/** Tokens of a step for which it keeps memory at least, and those of whole prompts (--max-prefill-tokens). */
const fewestTokens = 2048
const wholePrompts = 16_384

/** A chip with more is large. */
const large = 60 * gibibyte

interface Server {
  readonly tensors: number
  readonly pipeline: number
  /** Groups of attention; 1 if there are none. */
  readonly groups: number
  readonly role: string | null
  /** Tokens of a chunk over all groups; null where prompts are read whole. */
  readonly chunk: number | null
  readonly running: number | null
  readonly byDeepEp: boolean
}

/** Null where the chip is not known. */
export function usualShare(server: Server, options: Options, { chip, model }: ReadingContext): number | null {
  if (chip?.kind !== 'gpu') return null
  const { hbmBytes } = chip
  const { tensors, pipeline, groups, role, byDeepEp } = server
  const sequences = options.isOn('--disable-cuda-graph')
    ? 0
    : (largestGraph(options) ?? capturedSequences(hbmBytes, tensors))
  const generates = role !== 'prefill' && sequences > 0
  const kept =
    mebibyte * (512 + 1.5 * Math.max(fewestTokens, stepTokens(server, options, sequences))) +
    parallelBytes(tensors * pipeline) +
    graphBytes({
      sequences: generates ? sequences : 0,
      gathers: groups,
      tokens: role === 'decode' ? 0 : (server.chunk ?? 0),
      latent: model?.latent ?? false,
    })
  const buffers = generates && byDeepEp ? 2 * gibibyte : 0
  const reserved = Math.max(kept, hbmBytes > large ? 10 * gibibyte : 0) + buffers
  return Math.max(0, Math.round((1 - reserved / hbmBytes) * 1000) / 1000)
}

/** The largest batch that a command has a graph captured of; null where it says none. */
function largestGraph(options: Options): number | null {
  const listed = (options.values('--cuda-graph-bs') ?? []).map(Number).filter(Number.isInteger)
  return listed.length > 0 ? Math.max(...listed) : options.whole('--cuda-graph-max-bs')
}

function stepTokens({ role, chunk, running }: Server, options: Options, sequences: number): number {
  if (role === 'decode') return running ?? sequences
  return chunk ?? options.whole('--max-prefill-tokens') ?? wholePrompts
}
