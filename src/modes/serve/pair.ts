/**
 * A kind of prefill instance with a kind of generate instance: on the same chips (continuous batching), or apart.
 *
 *   slots   M, the most sequences of a generate instance: its memory holds them, and a token takes no longer than T
 *
 * b prompts together take t, a request has G tokens. On the same chips a step of B sequences is stretched by the prefills of
 * its time, B·t/(b·G), and memory also holds the prompts that are read, the larger workspace, and a second set of those
 * weights that the phases store differently.
 */

import { leastThat } from '../../threshold.ts'
import type { Bytes } from '../../units.ts'
import { generateCapacity, prefillCapacity } from './capacity.ts'
import type { GenerateInstance, PrefillInstance } from './instance.ts'
import type { Requests } from './requests.ts'
import { copyBytes } from './storage.ts'

export interface Pair {
  readonly disaggregated: boolean
  readonly prefill: PrefillInstance
  readonly generate: GenerateInstance
  /** M */
  readonly slots: number
  /** Of weights that are there twice, on one chip. */
  readonly copyBytes: Bytes
  /** Requests a second of one instance. */
  readonly prefillCapacity: number
  readonly generateCapacity: number
}

export interface Deployment {
  readonly pair: Pair
  /** Instances; together both are the same. */
  readonly prefills: number
  readonly generates: number
}

export function chipsOf({ pair, prefills, generates }: Deployment): number {
  const { prefill, generate, disaggregated } = pair
  const own = disaggregated ? prefills * prefill.size.cluster.chips : 0
  return own + generates * generate.size.cluster.chips
}

export function apart(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  { outputLength }: Requests,
): Pair {
  const { most, stepSeconds } = generate
  return {
    disaggregated: true,
    prefill,
    generate,
    slots: most,
    copyBytes: 0,
    prefillCapacity: prefillCapacity(prefill.seconds, prefill.prompts),
    generateCapacity: generateCapacity(most, stepSeconds(most), outputLength),
  }
}

/** The most that the two could do together, were there room for all that generation has alone. */
export function togetherAtMost(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
): Pair {
  return sharing(prefill, generate, requests, generate.most, 0)
}

/** Null where the two have no room for a sequence. */
export function together(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
): Pair | null {
  const { outputLength, maxPerToken } = requests
  const { most, resident, stepSeconds } = generate
  const alike = prefill.storage === generate.storage
  const second = alike ? 0 : copyBytes(generate.size.bench, prefill.candidate, generate.chosen)
  const each = prefill.seconds / prefill.prompts
  const over = (batch: number): boolean => {
    const { bytes, workspace, budget } = resident(batch + prefill.prompts)
    if (bytes + second + Math.max(workspace, prefill.workspace) > budget) return true
    return stepSeconds(batch) + (batch * each) / outputLength > maxPerToken
  }
  const slots = (leastThat(most, over) ?? most + 1) - 1
  if (slots === 0) return null
  return sharing(prefill, generate, requests, slots, second)
}

function sharing(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  { outputLength }: Requests,
  slots: number,
  second: Bytes,
): Pair {
  const each = prefill.seconds / prefill.prompts
  const capacity = generateCapacity(slots, generate.stepSeconds(slots), outputLength, each)
  return {
    disaggregated: false,
    prefill,
    generate,
    slots,
    copyBytes: second,
    prefillCapacity: capacity,
    generateCapacity: capacity,
  }
}
