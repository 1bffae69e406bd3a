/**
 * A kind of prefill instance with a kind of generate instance: on the same chips (continuous batching), or apart.
 *
 *   slots   M, the most sequences of a generate instance that its memory holds and with which a token takes at most T;
 *           where a plan writes more, the rate that it is planned for is still that of those in time
 *
 * b prompts take t together, a request has G tokens. On shared chips a token of B sequences takes longer by its share of
 * prefills, B·t/(b·G), and memory also holds the prompts being read, the larger of the two workspaces, and a second
 * copy of weights that the phases store differently. Where even one sequence is then late, though it is not without prompts,
 * the server keeps T at rates at which it reads few enough of them.
 */
import { mostThat } from '../../threshold.ts'
import type { Bytes, Seconds } from '../../units.ts'
import { capacityInTime, generateCapacity, prefillCapacity } from './capacity.ts'
import type { GenerateInstance, PrefillInstance } from './instance.ts'
import type { Requests } from './requests.ts'
import { copyBytes as copiedBytes } from './storage.ts'

export interface Pair {
  readonly disaggregated: boolean
  readonly prefill: PrefillInstance
  readonly generate: GenerateInstance
  /** M, as above, or what is written. */
  readonly slots: number
  /** The most of these slots with which a token takes at most T, at least one. */
  readonly timely: number
  /** Second copies of weights, per chip. */
  readonly copyBytes: Bytes
  /**
   * Written limit on the sequences of a generate instance, including prompts being read; null if none is written. A
   * limit above what fits has no effect.
   */
  readonly maxSequences: number | null
  /** Written limit on the tokens of one step of a server that does both; null if the objectives set it. */
  readonly stepTokens: number | null
  /** Requests per second of one instance. */
  readonly prefillCapacity: number
  readonly generateCapacity: number
}

export interface Deployment {
  readonly pair: Pair
  /** Numbers of instances; equal if the pair shares chips. */
  readonly prefills: number
  readonly generates: number
}

export function chipsOf({ pair, prefills, generates }: Deployment): number {
  const { prefill, generate, disaggregated } = pair
  const own = disaggregated ? prefills * prefill.size.cluster.chips : 0
  return own + generates * generate.size.cluster.chips
}

/** Written limits of a server. */
export interface Limits {
  /** Sequences of a generate instance, including prompts being read. */
  readonly sequences?: number | undefined
  readonly stepTokens?: number | undefined
}

/** The pair on separate chips; null if the limits leave no sequence. */
export function apart(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  { outputLength, maxPerToken }: Requests,
  { sequences = Number.POSITIVE_INFINITY }: Limits = {},
): Pair | null {
  const { tokenSeconds } = generate
  const most = Math.min(generate.most, sequences)
  if (most < 1) return null
  const timely = timelyOf(most, maxPerToken, tokenSeconds)
  return {
    disaggregated: true,
    prefill,
    generate,
    slots: most,
    timely,
    copyBytes: 0,
    maxSequences: Number.isFinite(sequences) ? sequences : null,
    stepTokens: null,
    prefillCapacity: prefillCapacity(prefill.seconds, prefill.prompts),
    generateCapacity: generateCapacity(timely, tokenSeconds(timely), outputLength),
  }
}

/** Optimistic pair on shared chips, as if all the memory that generation has alone were left. */
export function togetherAtMost(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
): Pair | null {
  const most = leftBeside(prefill, generate.most)
  return most < 1 ? null : sharing(prefill, generate, requests, { slots: most, timely: most, copyBytes: 0 })
}

/** The pair on shared chips; null if there is no room for a sequence, or one alone is late. */
export function together(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  requests: Requests,
  limits: Limits = {},
): Pair | null {
  const { outputLength, maxPerToken } = requests
  const { resident, tokenSeconds } = generate
  const most = leftBeside(prefill, generate.most, limits.sequences)
  const alike = prefill.storage === generate.storage
  const copyBytes = alike ? 0 : copiedBytes(generate.size.bench, prefill.candidate, generate.chosen)
  const each = prefill.seconds / prefill.prompts
  const token = (batch: number) => tokenSeconds(batch) + (batch * each) / outputLength
  // A limit that somebody wrote holds even if tokens are then late.
  const inTime = limits.sequences === undefined ? maxPerToken : Number.POSITIVE_INFINITY
  const slots = mostThat(most, (batch) => {
    const { bytes, workspace, budget } = resident(batch + prefill.prompts)
    const isHeld = bytes + copyBytes + Math.max(workspace, prefill.workspace) <= budget
    return isHeld && (batch === 1 || token(batch) <= inTime)
  })
  if (slots < 1) return null
  const timely = timelyOf(slots, maxPerToken, token)
  return sharing(prefill, generate, requests, { slots, timely, copyBytes }, limits)
}

/** No token is late without a limit. */
function timelyOf(slots: number, limit: Seconds, token: (batch: number) => Seconds): number {
  return Number.isFinite(limit) ? mostThat(slots, (batch) => batch === 1 || token(batch) <= limit) : slots
}

/** Sequences of a server that are left beside the prompts being read. */
function leftBeside(
  { prompts }: PrefillInstance,
  most: number,
  sequences = Number.POSITIVE_INFINITY,
): number {
  // A server of one sequence reads its prompt first, and then generates.
  return Math.min(most, prompts === 1 ? Math.max(1, sequences - 1) : sequences - prompts)
}

function sharing(
  prefill: PrefillInstance,
  generate: GenerateInstance,
  { outputLength, maxPerToken }: Requests,
  held: Pick<Pair, 'slots' | 'timely' | 'copyBytes'>,
  { sequences, stepTokens }: Limits = {},
): Pair | null {
  const each = prefill.seconds / prefill.prompts
  const inTime = capacityInTime(generate.tokenSeconds(1), maxPerToken, each)
  if (inTime <= 0) return null
  const full = generateCapacity(held.timely, generate.tokenSeconds(held.timely), outputLength, each)
  const capacity = Math.min(full, inTime)
  return {
    disaggregated: false,
    prefill,
    generate,
    ...held,
    maxSequences: sequences ?? null,
    stepTokens: stepTokens ?? null,
    prefillCapacity: capacity,
    generateCapacity: capacity,
  }
}
