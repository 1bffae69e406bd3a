/**
 * The place of a thread that was ended is free once its replacement has started, and not before: a search that was given
 * such a place would spend its time limit on the start. One that does not start in `longestBirthMs` is not waited for.
 */
import type { Piscina } from 'piscina'

export interface Births {
  /** Calls back once there is a thread for each place that is free. */
  readonly whenBorn: (freed: () => void) => void
  /** Threads cannot be started: nobody is to wait for one. */
  readonly giveUp: () => void
}

/** Limit for a thread to start, even on a busy machine. */
export const longestBirthMs = 30_000

export function createBirths(workers: Pick<Piscina, 'on'>): Births {
  const unborn = new Set<NodeJS.Timeout>()
  const held: (() => void)[] = []

  const settle = () => {
    while (held.length > unborn.size) held.shift()?.()
  }
  const over = (birth: NodeJS.Timeout) => {
    clearTimeout(birth)
    unborn.delete(birth)
    settle()
  }
  workers.on('workerDestroy', () => {
    const birth: NodeJS.Timeout = setTimeout(() => over(birth), longestBirthMs).unref()
    unborn.add(birth)
  })
  workers.on('workerCreate', () => {
    const [first] = unborn
    if (first) over(first)
  })

  return {
    whenBorn: (freed) => {
      held.push(freed)
      settle()
    },
    giveUp: () => {
      for (const birth of unborn) over(birth)
    },
  }
}
