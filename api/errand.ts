/**
 * What the edge sends a worker: what to do, how long it may take, and two words of memory that both see. With them the edge ends a
 * search without ending its thread, and the search knows the time, at the cost of a load and a subtraction a mesh.
 */
import type { Patience } from '../src/patience.ts'

export interface Errand<Subject> {
  readonly subject: Subject
  readonly timeoutMs: number
  readonly flags: Flags
}

export type Flags = Int32Array<SharedArrayBuffer>

/** What the edge asks for, and how far the worker is. */
const [stopWord, begunWord] = [0, 1]

export function createFlags(): Flags {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
}

export function askToStop(flags: Flags): void {
  Atomics.store(flags, stopWord, 1)
}

export function hasBegun(flags: Flags): boolean {
  return Atomics.load(flags, begunWord) === 1
}

/** From now on, `timeoutMs` of that clock, or until the edge asks to stop. */
export function patienceOf(
  { flags, timeoutMs }: Omit<Errand<unknown>, 'subject'>,
  clock: () => number,
): Patience {
  Atomics.store(flags, begunWord, 1)
  const start = clock()
  return (share) => {
    const end = start + share * timeoutMs
    let over = false
    return () => {
      over ||= Atomics.load(flags, stopWord) === 1 || clock() >= end
      return over
    }
  }
}
