/**
 * The best layouts by trying them: depth first over the components in their order, options in theirs, leaving a branch
 * that cannot be faster or cannot fit. Exact; among choices equally fast (to a part in 10^12), the one whose options come first.
 *
 * The bound is made before the search, from the last component back. With λ_l(j) the seconds of option j of component l
 * and what later components have sent it, l sends to each earlier component f that it shares a table with
 *
 *   M_lf(i) = min_j ( r_fl(i, j) + λ_l(j) )       to the nearest; to the others without λ_l
 *
 * and keeps the rest, r_fl + λ_l - M_lf >= 0, as what the pair costs beyond the bound. A component that shares no table with an earlier
 * one keeps λ_l less its least value as its rest. All costs are then the sum of the least ones and of rests, so
 * that a branch is as good as the least and the rests so far, and on a chain or a tree that is what it really takes.
 * Method: mini-bucket elimination, Dechter and Rish (2003), with one earlier component per bucket.
 *
 * Memory: the bytes so far with the least of each component to come, and the largest working set so far with the
 * largest that the components to come have at least. It bounds memory alone: where every option trades time for bytes
 * and the budget binds, 5 components of 16 options take milliseconds instead of some ten microseconds.
 */
import type { Bytes, Seconds } from '../../units.ts'
import { type PairCosts, pairCosts } from './pair-costs.ts'
import { accountOf, type LayoutAnswer, type LayoutQuestion } from './question.ts'

export const tie = 1e-12
/** Tolerance for sums that are added up in another order. */
const rounding = 1e-12

export function bestLayouts(question: LayoutQuestion): LayoutAnswer | null {
  const search = searchOf(question)
  const { least } = search
  if (least === Number.POSITIVE_INFINITY || !mayFit(search, 0, 0, 0)) return null
  search.limit = someTime(search) * (1 + tie)
  descend(search, 0, least, 0, 0)
  const { best: chosen } = search
  return chosen && { chosen, ...accountOf(question, chosen), proven: true }
}

/** What the options of a component cost beyond the bound, given the options of earlier components. */
interface Step {
  readonly options: number
  readonly own: readonly number[] | null
  readonly pairs: readonly { readonly first: number; readonly rest: readonly number[] }[]
}

function restsOf({ own, pairs }: PairCosts): { readonly least: number; readonly steps: readonly Step[] } {
  const steps: Step[] = []
  let least = 0
  for (let l = own.length - 1; l >= 0; l--) {
    const received = own[l] ?? []
    const options = received.length
    const earlier = pairs.filter(({ second }) => second === l)
    const nearest = earlier.reduce((last, { first }) => Math.max(last, first), -1)
    for (const { first, seconds } of earlier) {
      const messages = own[first] ?? []
      keepRests(seconds, messages, received, first === nearest)
    }
    if (earlier.length > 0) {
      steps[l] = {
        options,
        own: null,
        pairs: earlier.map(({ first, seconds }) => ({ first, rest: seconds })),
      }
    } else {
      const lowest = received.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY)
      steps[l] = { options, own: received.map((value) => value - lowest), pairs: [] }
      least += lowest
    }
  }
  return { least, steps }
}

/** Adds the messages of one pair to the earlier component's seconds, and leaves the rests in the table. */
function keepRests(table: number[], earlier: number[], later: readonly number[], carries: boolean): void {
  const columns = later.length
  for (let i = 0; i < earlier.length; i++) {
    let message = Number.POSITIVE_INFINITY
    for (let j = 0; j < columns; j++) {
      const value = (table[i * columns + j] ?? 0) + (carries ? (later[j] ?? 0) : 0)
      table[i * columns + j] = value
      if (value < message) message = value
    }
    earlier[i] = (earlier[i] ?? 0) + message
    // Option i is impossible, and its infinite message has just told the earlier component so.
    if (message === Number.POSITIVE_INFINITY) continue
    for (let j = 0; j < columns; j++) table[i * columns + j] = (table[i * columns + j] ?? 0) - message
  }
}

/** One question while it is searched. */
export interface Search {
  readonly components: LayoutQuestion['components']
  readonly steps: readonly Step[]
  readonly budget: Bytes
  /** A bound: no choice is faster. */
  readonly least: Seconds
  /** Least bytes and workspace of the components from k on. */
  readonly leastBytes: readonly Bytes[]
  readonly leastWorkspace: readonly Bytes[]
  readonly current: number[]
  /** Slower choices than this are of no interest. */
  limit: Seconds
  best: readonly number[] | null
}

export function searchOf(question: LayoutQuestion): Search {
  const { components, budget } = question
  const { least, steps } = restsOf(pairCosts(question))
  const leastBytes = components.map(() => 0)
  const leastWorkspace = components.map(() => 0)
  let [bytesAfter, workspaceAfter] = [0, 0]
  for (let k = components.length - 1; k >= 0; k--) {
    let bytes = Number.POSITIVE_INFINITY
    let workspace = Number.POSITIVE_INFINITY
    for (const option of components[k]?.options ?? []) {
      bytes = Math.min(bytes, option.bytes)
      workspace = Math.min(workspace, option.workspace)
    }
    bytesAfter += bytes
    workspaceAfter = Math.max(workspaceAfter, workspace)
    leastBytes[k] = bytesAfter
    leastWorkspace[k] = workspaceAfter
  }
  const current = components.map(() => 0)
  return { components, steps, budget, least, leastBytes, leastWorkspace, current, limit: 0, best: null }
}

/** The time of a choice that is often good: for each component in turn, the option that adds the least and may fit. */
function someTime(search: Search): Seconds {
  const { components, current } = search
  let [seconds, bytes, workspace] = [search.least, 0, 0]
  for (const [k, { options }] of components.entries()) {
    let lowest = Number.POSITIVE_INFINITY
    let at = -1
    for (const [i, option] of options.entries()) {
      const rest = restOf(search, k, i)
      if (rest >= lowest) continue
      if (!mayFit(search, k + 1, bytes + option.bytes, Math.max(workspace, option.workspace))) continue
      lowest = rest
      at = i
    }
    const option = options[at]
    if (!option) return Number.MAX_VALUE
    current[k] = at
    seconds += lowest
    bytes += option.bytes
    workspace = Math.max(workspace, option.workspace)
  }
  return seconds
}

function descend(search: Search, k: number, seconds: Seconds, bytes: Bytes, workspace: Bytes): void {
  const { components, current, least } = search
  const options = components[k]?.options
  if (!options) {
    search.best = [...current]
    search.limit = seconds <= least * (1 + tie) ? -1 : seconds * (1 - tie)
    return
  }
  for (let i = 0; i < options.length; i++) {
    const option = options[i]
    const total = seconds + restOf(search, k, i)
    if (!option || total > search.limit) continue
    const kept = bytes + option.bytes
    const working = Math.max(workspace, option.workspace)
    if (!mayFit(search, k + 1, kept, working)) continue
    current[k] = i
    descend(search, k + 1, total, kept, working)
  }
}

export function restOf({ steps, current }: Search, k: number, i: number): Seconds {
  const step = steps[k]
  if (!step) return 0
  let rest = step.own?.[i] ?? 0
  for (const pair of step.pairs) rest += pair.rest[(current[pair.first] ?? 0) * step.options + i] ?? 0
  return rest
}

export function mayFit(search: Search, k: number, bytes: Bytes, workspace: Bytes): boolean {
  const { budget, components, leastBytes, leastWorkspace } = search
  if (k === components.length) return bytes + workspace <= budget
  const needed = bytes + (leastBytes[k] ?? 0) + Math.max(workspace, leastWorkspace[k] ?? 0)
  return needed <= budget + rounding * Math.abs(budget)
}
