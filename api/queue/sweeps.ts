/**
 * Which thread's heap is to be swept next. Each is swept soon after requests if they have left much, so that the next one does not run on top of that; and once
 * more after a while, when V8 also gives back the room that it holds ready for what is young.
 */
interface Sweep {
  readonly thread: number
  /** It is left as it is if it has grown by less. */
  readonly grownBytes: number
}

interface Round {
  /** Milliseconds without a request. */
  readonly afterMs: number
  readonly grownBytes: number
}

export function createSweeps(rounds: readonly Round[]) {
  const pending = rounds.map((round) => ({ ...round, unswept: new Set<number>() }))
  return {
    /** Whatever these threads have done, they may have to be swept after it. */
    used: (threads: readonly number[]): void => {
      for (const { unswept } of pending) for (const thread of threads) unswept.add(thread)
    },
    next: (quietMs: number): Sweep | undefined => {
      for (const { afterMs, grownBytes, unswept } of pending) {
        const [thread] = unswept
        if (thread === undefined || quietMs < afterMs) continue
        unswept.delete(thread)
        return { thread, grownBytes }
      }
      return undefined
    },
  }
}
