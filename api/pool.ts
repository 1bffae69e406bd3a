/**
 * The searches of all requests, each whole in a worker thread. A signal ends the thread, and with it the search,
 * wherever that is; a new thread takes its place. Beyond `maxQueue` waiting searches there is no room.
 */
import { Piscina } from 'piscina'
import type { Question, Trial } from './question.ts'
import { workerFile } from './root.ts'
import { QueueFull, type Search } from './search.ts'

export interface PoolOptions {
  readonly threads: number
  readonly maxQueue: number
  readonly memoryMb: number
  /** Exports `optimize`, `evaluate` and `ready`. */
  readonly worker?: URL
}

export interface Pool extends Search {
  /** Resolves when a worker has loaded the domain and its solvers. */
  readonly warm: () => Promise<void>
  readonly close: () => Promise<void>
}

export function createPool({ threads, maxQueue, memoryMb, worker = workerFile }: PoolOptions): Pool {
  const workers = new Piscina({
    filename: worker.href,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  let accepted = 0

  async function run(name: 'optimize' | 'evaluate', task: Question | Trial, signal: AbortSignal) {
    if (accepted >= threads + maxQueue) throw new QueueFull(`${accepted} searches are running or waiting`)
    accepted++
    try {
      return await workers.run(task, { name, signal })
    } finally {
      accepted--
    }
  }

  return {
    optimize: (question, signal) => run('optimize', question, signal),
    evaluate: (trial, signal) => run('evaluate', trial, signal),
    occupancy: () => ({ running: Math.min(accepted, threads), waiting: Math.max(0, accepted - threads) }),
    warm: async () => {
      await Promise.all(Array.from({ length: threads }, () => workers.run({}, { name: 'ready' })))
    },
    close: () => workers.destroy(),
  }
}
