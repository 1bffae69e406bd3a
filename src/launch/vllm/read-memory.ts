/**
 * What the options of vLLM that give its caches memory mean. --kv-cache-memory-bytes is all that they have on each GPU, whatever
 * --gpu-memory-utilization says; nothing is profiled then, so that more than there is room for ends as it is allocated. Source: vllm-project/vllm
 * 002f10e, vllm/config/cache.py; vllm/v1/worker/gpu_worker.py (determine_available_memory).
 */
import { compact } from '../../compact.ts'
import type { Bytes } from '../../units.ts'
import type { Options } from '../read/options.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { ServerSaid } from '../server/server-said.ts'
import { countOf } from './counts.ts'
import { type Profiled, vllmKeeps } from './memory.ts'

export const inBytes = '--kv-cache-memory-bytes'
const inBlocks = '--num-gpu-blocks-override'

interface CachesSaid {
  /** Of each GPU; null if none are said. */
  readonly bytes: Bytes | null
  readonly faults: readonly string[]
  readonly uncounted: readonly string[]
}

/** What is said of caches alone. How many tokens a block has depends on the kernels and on the kinds of layers, which share blocks out. */
export function cachesSaid(options: Options, { chip }: ReadingContext): CachesSaid {
  const [text, blocks] = [options.text(inBytes), options.text(inBlocks)]
  // Zero is as if nothing were said.
  const { value, fault } = countOf(options, inBytes, /^0$/)
  const onTpu = chip?.kind === 'tpu'
  return {
    bytes: onTpu ? null : value,
    faults: compact(fault),
    uncounted: compact(
      blocks !== null &&
        `${inBlocks} ${blocks.slice(0, 100)} is not counted, so that it is not known what its caches have room for: ${inBytes} says it in bytes of each GPU`,
      onTpu && text !== null && `${inBytes} is not counted on TPUs: --gpu-memory-utilization is`,
    ),
  }
}

/** On GPUs it is known what vLLM keeps of its share; elsewhere the share is the budget. */
export function memoryOf(
  ofChip: number,
  bytes: Bytes | null,
  profiled: Profiled,
  { chip, model }: ReadingContext,
): Pick<ServerSaid, 'cacheShare' | 'memoryFraction'> {
  const kept = model ? { keptBytes: vllmKeeps(model, profiled) } : {}
  if (bytes !== null) return { cacheShare: { bytes, ...kept } }
  if (chip?.kind !== 'gpu') return { memoryFraction: ofChip }
  return { cacheShare: { ofChip, ...kept } }
}
