/** The requests that a deployment answers, and how busy one may be that is planned for them. */
import { kvCacheBytes } from '../../model/kv-cache.ts'
import type { InferenceProblem, ServeWorkload } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { Bytes, Seconds } from '../../units.ts'

export interface Requests {
  readonly promptLength: number
  readonly outputLength: number
  readonly cachedPrefixLength: number
  /** Positions that the longest may have. */
  readonly contextLength: number
  /** Requests a second; null where the deployment sets them. */
  readonly rate: number | null
  readonly maxFirst: Seconds
  readonly maxPerToken: Seconds
  /** Chips that there are for them. */
  readonly pool: number
  /** Keys and values of one prompt. */
  readonly cacheBytes: Bytes
}

/**
 * Of what it can sustain. Queues grow as 1/(1 - u): at 0.8 a wait is four services with random ones, and bursts of a
 * quarter above the mean still find room.
 */
export const mostUtilization = 0.8

export function requestsOf(
  { workload, model, precision, cluster }: InferenceProblem<ServeWorkload>,
  contextLength = workload.promptLength + workload.outputLength,
): Requests {
  const { promptLength, outputLength, cachedPrefixLength } = workload
  return {
    promptLength,
    outputLength,
    cachedPrefixLength,
    contextLength,
    rate: workload.requestsPerSecond ?? null,
    maxFirst: workload.maxTimeToFirstTokenSeconds ?? Number.POSITIVE_INFINITY,
    maxPerToken: workload.maxTimePerOutputTokenSeconds ?? Number.POSITIVE_INFINITY,
    pool: cluster.chips,
    cacheBytes: kvCacheBytes(model, promptLength, elementBytes[precision.kvCache]),
  }
}
