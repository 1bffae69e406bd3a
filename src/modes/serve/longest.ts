/**
 * The longest request that a server has room for. Caches are paged, so that on average more sequences fit than if all were as long as they
 * may be; but one of them alone has to have room, beside the weights and what the server works with. Source: vllm-project/vllm 001cabc,
 * vllm/v1/core/kv_cache_utils.py (_check_enough_kv_cache_memory; estimate_max_model_len is the most that has room).
 */
import { longestAlone, roomAlone } from '../../inference/longest.ts'
import { mostThat } from '../../threshold.ts'
import type { Bytes } from '../../units.ts'
import type { PrefillInstance, ReadLengths } from './instance.ts'
import type { Pair } from './pair.ts'
import type { Requests } from './requests.ts'

/**
 * Most positions of one request that a generate instance has room for, up to those of the longest; 0 if there is none. `stepTokens` are read
 * in a step at most, null for whole prompts; `budget` is the memory asked for, where the pair was found with more.
 */
export function longestWithRoom(
  pair: Pair,
  requests: Requests,
  { stepTokens, budget }: { readonly stepTokens: number | null; readonly budget: Bytes | undefined },
): number {
  const { contextLength } = requests
  const { memoryBudget } = pair.generate.size.bench.setting
  const beyond = memoryBudget - (budget ?? memoryBudget)
  const fits = (positions: number) => hasRoom(pair, requests, positions, stepTokens, beyond)
  return fits(contextLength) ? contextLength : mostThat(contextLength, fits)
}

/**
 * Most positions of a prompt that an instance which only reads prompts has room for, up to those of the longest request but one; with the same
 * `budget`.
 */
export function longestRead(
  { size: { bench }, candidate }: PrefillInstance,
  { contextLength }: Requests,
  budget: Bytes | undefined,
): number {
  const { memoryBudget } = bench.setting
  return longestAlone(bench, candidate, contextLength - 1, memoryBudget - (budget ?? memoryBudget))
}

/** Whether it has room for the longest prompt, if that is longer than a mean one. */
export function readsLongest(
  { size: { bench }, candidate }: PrefillInstance,
  { promptLength, contextLength }: ReadLengths,
): boolean {
  return contextLength - 1 <= promptLength || roomAlone(bench, candidate)(contextLength - 1)
}

/** Whether the longest request has room where tokens are generated, if it is longer than a mean one. */
export function holdsLongest(pair: Pair, requests: Requests): boolean {
  const { contextLength, promptLength, outputLength } = requests
  return contextLength <= promptLength + outputLength || hasRoom(pair, requests, contextLength, null, 0)
}

function hasRoom(
  pair: Pair,
  requests: Requests,
  positions: number,
  stepTokens: number | null,
  beyond: Bytes,
): boolean {
  const { bytes, workspace, budget } = pair.generate.alone(positions)
  const working = Math.max(workspace, readingBytes(pair, requests, stepTokens))
  return bytes + pair.copyBytes + working <= budget - beyond
}

/** What reading prompts works with: less where a step takes a part of them alone. */
function readingBytes({ disaggregated, prefill }: Pair, requests: Requests, most: number | null): Bytes {
  if (disaggregated) return 0
  const tokens = prefill.prompts * (requests.promptLength - requests.cachedPrefixLength)
  return prefill.workspace * Math.min(1, (most ?? tokens) / tokens)
}
