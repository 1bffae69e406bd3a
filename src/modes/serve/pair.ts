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
  /** Of a generate instance, prompts that it reads among them, as it is written: more than fit never run. */
  readonly maxSequences: number | null
  /** Of one step of a server that does both, at most; null where the objectives say it. */
  readonly stepTokens: number | null
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

/** What is written of a pair beyond its instances. */
export interface Limits {
  /** Sequences of a generate instance, prompts that it reads among them. */
  readonly sequences?: number | undefined
  readonly stepTokens?: number | undefined
}

/** Null where the limits leave no sequence. */
export function apart(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  { outputLength }: Requests,
  { sequences = Number.POSITIVE_INFINITY }: Limits = {},
): Pair | null {
  const { stepSeconds } = generate
  const most = Math.min(generate.most, sequences)
  if (most < 1) return null
  return {
    disaggregated: true,
    prefill,
    generate,
    slots: most,
    copyBytes: 0,
    maxSequences: Number.isFinite(sequences) ? sequences : null,
    stepTokens: null,
    prefillCapacity: prefillCapacity(prefill.seconds, prefill.prompts),
    generateCapacity: generateCapacity(most, stepSeconds(most), outputLength),
  }
}

/** The most that the two could do together, were there room for all that generation has alone. */
export function togetherAtMost(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
  limits: Limits = {},
): Pair | null {
  const most = leftBeside(prefill, generate.most, limits)
  return most < 1 ? null : limited(sharing(prefill, generate, requests, most, 0), limits)
}

/** Null where the two have no room for a sequence. */
export function together(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
  limits: Limits = {},
): Pair | null {
  const { outputLength, maxPerToken } = requests
  const { resident, stepSeconds } = generate
  const most = leftBeside(prefill, generate.most, limits)
  const alike = prefill.storage === generate.storage
  const second = alike ? 0 : copyBytes(generate.size.bench, prefill.candidate, generate.chosen)
  const each = prefill.seconds / prefill.prompts
  const over = (batch: number): boolean => {
    const { bytes, workspace, budget } = resident(batch + prefill.prompts)
    if (bytes + second + Math.max(workspace, prefill.workspace) > budget) return true
    // A limit that somebody wrote stands, late or not.
    const late = stepSeconds(batch) + (batch * each) / outputLength > maxPerToken
    return late && limits.sequences === undefined
  }
  const slots = (leastThat(most, over) ?? most + 1) - 1
  return slots < 1 ? null : limited(sharing(prefill, generate, requests, slots, second), limits)
}

function limited(pair: Pair, { sequences, stepTokens }: Limits): Pair {
  return { ...pair, maxSequences: sequences ?? null, stepTokens: stepTokens ?? null }
}

/** Of the sequences of a server those that are not prompts being read. */
function leftBeside(
  { prompts }: PrefillInstance,
  most: number,
  { sequences = Number.POSITIVE_INFINITY }: Limits,
): number {
  // A server of one sequence reads its prompt first.
  return Math.min(most, prompts === 1 ? Math.max(1, sequences - 1) : sequences - prompts)
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
    maxSequences: null,
    stepTokens: null,
    prefillCapacity: capacity,
    generateCapacity: capacity,
  }
}
