/** The requests that a deployment answers, and the highest utilisation that one is planned for. */

import { present } from '../../fields.ts'
import { mostPositions, tokensOfStep } from '../../inference/speculation/speculation.ts'
import { cacheElementBytes } from '../../model/cache-type.ts'
import { kvCacheBytes } from '../../model/kv-cache.ts'
import type { GenerateWorkload, PrefillWorkload, ServeProblem, ServeWorkload } from '../../problem.ts'
import type { Bytes, Seconds } from '../../units.ts'

export interface Requests {
  readonly promptLength: number
  readonly outputLength: number
  readonly cachedPrefixLength: number
  /** Positions of the longest request. */
  readonly contextLength: number
  /** Requests per second; null if it is whatever the deployment sustains. */
  readonly rate: number | null
  readonly maxFirst: Seconds
  readonly maxPerToken: Seconds
  /** Chips of the pool. */
  readonly pool: number
  /** Keys and values of one prompt. */
  readonly cacheBytes: Bytes
  /** New positions of a sequence in a step: one, and those that are drafted. */
  readonly stepPositions: number
  /** Tokens that a step is expected to give a sequence: one, and the drafted ones that are accepted. */
  readonly stepYield: number
}

/**
 * Highest planned utilisation u. Queues grow as 1/(1 - u): at 0.8 a wait is about four service times if these are
 * random, and bursts of a quarter above the mean are still absorbed.
 */
export const mostUtilization = 0.8

/** Most positions of a request, if nothing says so those of a mean one. */
export function longestOf({ promptLength, outputLength, contextLength }: ServeWorkload): number {
  return contextLength ?? promptLength + outputLength
}

/** Tokens of the longest prompt, for servers that keep room for prompts and for outputs apart: of the longest request the share that a mean one has. */
export function longestPrompt({ promptLength, outputLength, contextLength }: Requests): number {
  return Math.min(
    contextLength - 1,
    Math.ceil((contextLength * promptLength) / (promptLength + outputLength)),
  )
}

type Lengths = Pick<ServeWorkload, 'promptLength' | 'outputLength' | 'cachedPrefixLength'>

type Generated = Pick<ServeWorkload, 'promptLength' | 'outputLength' | 'speculative'>

/** With the longest request, where the server has to have room for one. */
export function prefillWorkload(
  { promptLength, cachedPrefixLength }: Lengths,
  batchSequences: number,
  contextLength?: number,
): PrefillWorkload {
  const lengths = { promptLength, cachedPrefixLength, ...present({ contextLength }) }
  return { mode: 'prefill', batchSequences, ...lengths }
}

/** A sequence's cache has room for prompt and output, and on average holds the prompt and half of the output. */
export function generateWorkload(
  { promptLength, outputLength, speculative }: Generated,
  batchSequences: number | 'max',
): GenerateWorkload {
  const contextLength = promptLength + outputLength
  const meanContextLength = promptLength + outputLength / 2
  return {
    mode: 'generate',
    batchSequences,
    contextLength,
    meanContextLength,
    ...present({ speculative }),
  }
}

export function requestsOf(
  { workload, model, precision, cluster }: ServeProblem,
  contextLength = longestOf(workload),
): Requests {
  const { promptLength, outputLength, cachedPrefixLength, speculative } = workload
  return {
    promptLength,
    outputLength,
    cachedPrefixLength,
    contextLength,
    rate: workload.requestsPerSecond ?? null,
    maxFirst: workload.maxTimeToFirstTokenSeconds ?? Number.POSITIVE_INFINITY,
    maxPerToken: workload.maxTimePerOutputTokenSeconds ?? Number.POSITIVE_INFINITY,
    pool: cluster.chips,
    cacheBytes: kvCacheBytes(model, promptLength, cacheElementBytes(model, precision.kvCache)),
    stepPositions: mostPositions(speculative),
    stepYield: speculative ? tokensOfStep(speculative) : 1,
  }
}
