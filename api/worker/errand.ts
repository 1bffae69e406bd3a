/**
 * What the edge sends a worker: what to do, how long it may take, and three words of memory that both see. With them the edge ends a
 * search without ending its thread, and the search knows the time, at the cost of a load and a subtraction a mesh.
 */
import { type Patience, shares } from '../../src/patience.ts'
import type { CrewMemory } from './crew.ts'
import type { Telling } from './telling.ts'

export interface Errand<Subject> {
  readonly subject: Subject
  readonly timeoutMs: number
  readonly flags: Flags
  /** Whole, as JSON, where absent. */
  readonly tell?: Telling
  /** Called as often as the search asks whether its time is over; of a search in the same thread. */
  readonly tick?: () => void
  /** What it shares with those that help; there are none where it is absent. */
  readonly crew?: CrewMemory
}

export type Flags = Int32Array<SharedArrayBuffer>

/** What the edge asks for; whether the worker has begun, and whether it was told that its time was over. */
const [stopWord, begunWord, cutWord] = [0, 1, 2]

export function createFlags(): Flags {
  return new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))
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

/** Whether any part of the search heard that it should stop: one that did not has all of its answer. */
export function wasCut(flags: Flags): boolean {
  return Atomics.load(flags, cutWord) === 1
}

/** From now on, `timeoutMs` of that clock, or until the edge asks to stop. */
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
      over ||= isAskedToStop(flags) || clock() >= end
      if (over) Atomics.store(flags, cutWord, 1)
      return over
    }
  }
}

/** What comes after the search takes no longer because the search may: of a long time it has no more kept for it than of so much. */
const longestKeptOfMs = 6000

/** When a part is to be done: with less than that by its share of the time, else the search has what the parts after it do not need. */
function dueMs(share: number, timeoutMs: number): number {
  const kept = 1 - shares.search
  const searched = timeoutMs - kept * Math.min(timeoutMs, longestKeptOfMs)
  return share <= shares.search
    ? (share / shares.search) * searched
    : searched + ((share - shares.search) / kept) * (timeoutMs - searched)
}
