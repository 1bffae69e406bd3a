/**
 * The most requests a second that a deployment sustains within the objectives, as its servers are told to run. A server that does both phases
 * is told limits on sequences and on tokens of a step, and not how many prompts it reads together: at a rate those count with which a request
 * is shortest, and the most that it sustains is by those with which it sustains most.
 */
import { sustained } from './operation.ts'
import { type Deployment, type Pair, together } from './pair.ts'
import type { Requests } from './requests.ts'
import type { Sized } from './sized.ts'
import { undominatedBeside } from './undominated.ts'

export function mostRate(deployment: Sized, requests: Requests): number {
  const { operation } = deployment
  if (requests.rate === null) return operation.rate
  const { pair, ...counts } = asTold(deployment)
  const rates = [pair, ...readingOthers(pair, requests)].map(
    (own) => sustained({ ...counts, pair: own }, requests)?.rate ?? 0,
  )
  return Math.max(operation.rate, ...rates)
}

/** A server's limits are set once, and then hold for every rate. */
function asTold({ pair, operation, prefills, generates }: Sized): Deployment {
  return { prefills, generates, pair: { ...pair, stepTokens: operation.stepTokens } }
}

/** The same servers where they read other numbers of prompts together. */
function readingOthers(pair: Pair, requests: Requests): readonly Pair[] {
  const { disaggregated, generate, prefill, slots, maxSequences, stepTokens } = pair
  if (disaggregated || !generate.size.bench.servable) return []
  const limits = {
    sequences: maxSequences ?? slots + prefill.prompts,
    ...(stepTokens === null ? {} : { stepTokens }),
  }
  return undominatedBeside(generate.size.prefillsBeside(generate), generate)
    .filter(({ prompts }) => prompts !== prefill.prompts)
    .flatMap((other) => together(other, generate, requests, limits) ?? [])
}
