/**
 * What the edge sends to a worker: the request, its time limit, and four words of shared memory. Through these the
 * edge stops a search without ending its thread; testing them costs the search one load and one subtraction per mesh.
 */
import { type Patience, shares } from '../../src/patience.ts'
import type { CrewMemory } from './crew.ts'
import type { Telling } from './telling.ts'

export interface Errand<Subject> {
  readonly subject: Subject
  readonly timeoutMs: number
  readonly flags: Flags
  /** The form of the answer; complete JSON if absent. */
  readonly tell?: Telling
  /** Called whenever the search tests whether its time is up; only for a search in the same thread. */
  readonly tick?: () => void
  /** Memory shared with helpers; absent if there are none. */
  readonly crew?: CrewMemory
}

export type Flags = Int32Array<SharedArrayBuffer>

/**
 * Positions of words: whether the edge asks to stop; whether the worker has begun; whether it was told that its time is
 * up; how often it has tested that.
 */
const [stopWord, begunWord, cutWord, looksWord] = [0, 1, 2, 3]

export function createFlags(): Flags {
  return new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT))
}

export function askToStop(flags: Flags): void {
  Atomics.store(flags, stopWord, 1)
}

export function isAskedToStop(flags: Flags): boolean {
  return Atomics.load(flags, stopWord) === 1
}

export function hasBegun(flags: Flags): boolean {
  return Atomics.load(flags, begunWord) === 1
}

/** Whether any part of the search was told to stop; otherwise the answer is complete. */
export function wasCut(flags: Flags): boolean {
  return Atomics.load(flags, cutWord) === 1
}

/** Grows, and wraps around, for as long as the search tests whether to stop. */
export function looksOf(flags: Flags): number {
  return Atomics.load(flags, looksWord)
}

/** Patience that ends `timeoutMs` from now by that clock, or when the edge asks to stop. */
export function patienceOf(
  { flags, timeoutMs, tick }: Omit<Errand<unknown>, 'subject'>,
  clock: () => number,
): Patience {
  Atomics.store(flags, begunWord, 1)
  const start = clock()
  return (share) => {
    const end = start + dueMs(share, timeoutMs)
    let over = false
    return () => {
      tick?.()
      Atomics.add(flags, looksWord, 1)
      over ||= isAskedToStop(flags) || clock() >= end
      if (over) Atomics.store(flags, cutWord, 1)
      return over
    }
  }
}

/** What follows the search takes no longer for a longer time limit: at most this much of the limit counts when its share is reserved. */
const longestKeptOfMs = 6000

/** When a part has to be done: parts after the search divide the time that is reserved for them, the search has the rest. */
function dueMs(share: number, timeoutMs: number): number {
  const kept = 1 - shares.search
  const searched = timeoutMs - kept * Math.min(timeoutMs, longestKeptOfMs)
  return share <= shares.search
    ? (share / shares.search) * searched
    : searched + ((share - shares.search) / kept) * (timeoutMs - searched)
}
