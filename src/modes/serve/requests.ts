/** The requests that a deployment answers, and how busy one may be that is planned for them. */
import type { ServeWorkload } from '../../problem.ts'
import type { Bytes, Seconds } from '../../units.ts'

export interface Requests {
  readonly promptLength: number
  readonly outputLength: number
  readonly cachedPrefixLength: number
  /** Requests a second; null where the deployment sets them. */
  readonly rate: number | null
  readonly maxFirst: Seconds
  readonly maxPerToken: Seconds
  /** Keys and values of one prompt. */
  readonly cacheBytes: Bytes
}

/**
 * Of what it can sustain. Queues grow as 1/(1 - u): at 0.8 a wait is four services with random ones, and bursts of a
 * quarter above the mean still find room.
 */
export const mostUtilization = 0.8

export function requestsOf(workload: ServeWorkload, cacheBytes: Bytes): Requests {
  const { promptLength, outputLength, cachedPrefixLength } = workload
  return {
    promptLength,
    outputLength,
    cachedPrefixLength,
    rate: workload.requestsPerSecond ?? null,
    maxFirst: workload.maxTimeToFirstTokenSeconds ?? Number.POSITIVE_INFINITY,
    maxPerToken: workload.maxTimePerOutputTokenSeconds ?? Number.POSITIVE_INFINITY,
    cacheBytes,
  }
}
