/**
 * Threads that work on one answer (src/crew.ts). All ask the same question, and so reach the same jobs in the same
 * order: whoever reaches a job first takes it, and writes its result where the others can read it. One thread leads,
 * and its answer is used; the others help while nobody else needs them. A job that was taken but not finished is done
 * again by whoever needs it, so that helpers may leave at any time.
 */
import { deserialize, serialize } from 'node:v8'
import { alone, type Beside, type Crew, type Shared } from '../../src/crew.ts'
import type { Stop } from '../../src/patience.ts'

export interface CrewMemory {
  /** Some words for the whole crew, then one for each job. */
  readonly words: Int32Array<SharedArrayBuffer>
  readonly bytes: Uint8Array<SharedArrayBuffer>
}

/** Positions of words: whether no work is left to help with, and how many bytes are written. */
const [overWord, writtenWord, firstJob] = [0, 1, 2]

/** States of a job: open; taken; done without room for the result. From `told` on, the state is the offset of the result. */
const [open, taken, untold, told] = [0, 1, 2, 3]

/** Time to wait for another thread's job, before testing whether to go on without it. */
const betweenLooksMs = 2

export function createCrewMemory(jobs = 1 << 15, bytes = 1 << 22): CrewMemory {
  return {
    words: new Int32Array(new SharedArrayBuffer((firstJob + jobs) * Int32Array.BYTES_PER_ELEMENT)),
    bytes: new Uint8Array(new SharedArrayBuffer(bytes)),
  }
}

export interface Member {
  readonly memory: CrewMemory
  /** Whether to go on without the leader, or without this member; asked between jobs, and may throw. */
  readonly apart: Stop
  readonly leads: boolean
}

/** Thrown when a helper ends: nobody needs its answer. */
export class Dismissed extends Error {
  override readonly name = 'Dismissed'
}

/** Tells helpers that no work is left. */
export function disband({ words }: CrewMemory): void {
  Atomics.store(words, overWord, 1)
}

export function isDisbanded({ words }: CrewMemory): boolean {
  return Atomics.load(words, overWord) === 1
}

interface Waiting {
  readonly at: number
  readonly run: () => void
}

export function crewOf({ memory, apart, leads }: Member): Crew {
  const { words, bytes } = memory
  let next: number = firstJob
  let busy = false
  const besides: Waiting[] = []

  const together = (jobs: number): boolean => {
    if (busy) return false
    if (!apart() && !isDisbanded(memory) && next + jobs <= words.length) return true
    // A member that goes on alone no longer reaches the same jobs.
    disband(memory)
    next = words.length + 1
    if (leads) return false
    throw new Dismissed()
  }

  const takes = (at: number): boolean => Atomics.compareExchange(words, at, open, taken) === open

  /** Jobs inside of a job are not shared. */
  const busily = <Done>(work: () => Done): Done => {
    const before = busy
    busy = true
    try {
      return work()
    } finally {
      busy = before
    }
  }

  /** Does a job of this member, and publishes its result. */
  const doneOf = <Done>(at: number, work: () => Done, tells: boolean): Done => {
    let state: number = open
    try {
      const done = busily(work)
      state = tells ? write(done) : untold
      return done
    } finally {
      Atomics.store(words, at, state)
      Atomics.notify(words, at)
    }
  }

  const write = (done: unknown): number => {
    if (Atomics.load(words, writtenWord) > bytes.length) return untold
    const data = serialize(done)
    const from = Atomics.add(words, writtenWord, 4 + data.length)
    if (from + 4 + data.length > bytes.length) return untold
    new DataView(bytes.buffer).setUint32(from, data.length)
    bytes.set(data, from + 4)
    return told + from
  }

  const read = (state: number): unknown => {
    const from = state - told
    const length = new DataView(bytes.buffer).getUint32(from)
    return deserialize(bytes.slice(from + 4, from + 4 + length))
  }

  /** The result of another member's job; null if it is not published, or there is no time to wait. */
  const heard = (at: number, stop?: Stop): { readonly done: unknown } | null => {
    for (;;) {
      const state = Atomics.load(words, at)
      if (state >= told) return { done: read(state) }
      if (state !== taken || apart() || stop?.() || isDisbanded(memory)) return null
      // The leader does not do these, because it may find that there is no time for them, or that nobody needs them.
      const beside = leads ? undefined : besides.find((each) => takes(each.at))
      if (beside) beside.run()
      else Atomics.wait(words, at, taken, betweenLooksMs)
    }
  }

  const all = <Job, Done>(
    jobs: readonly Job[],
    work: (job: Job) => Done,
    { restored, stop, last = false }: Shared<Job, Done> = {},
  ): readonly Done[] => {
    if (jobs.length < 2 || !together(jobs.length)) return alone.all(jobs, work)
    const first = next
    next += jobs.length
    const own = jobs.map((job, at) =>
      takes(first + at) ? { done: doneOf(first + at, () => work(job), !(last && leads)) } : null,
    )
    if (last && !leads) throw new Dismissed()
    return jobs.map((job, at) => {
      const mine = own[at]
      if (mine) return mine.done
      const other = heard(first + at, stop)
      if (!other) return busily(() => work(job))
      const done = other.done as Done
      return restored ? restored(done, job) : done
    })
  }

  const beside = <Done>(work: () => Done, { restored, stop }: Beside<Done> = {}): (() => Done) => {
    if (!together(1)) return alone.beside(work)
    const at = next++
    let known: { readonly done: Done } | null = null
    besides.push({
      at,
      run: () => {
        known = { done: doneOf(at, work, true) }
      },
    })
    return () => {
      if (!known && takes(at)) known = { done: doneOf(at, work, true) }
      if (!known) {
        const other = heard(at, stop) as { readonly done: Done } | null
        known = other ? { done: restored?.(other.done, null) ?? other.done } : { done: busily(work) }
      }
      return known.done
    }
  }

  return { all, beside }
}
