/**
 * The threads, and what ends a task on one: its answer, its failure, or that nobody waits for it any more. One that does not
 * stop within `graceMs` after it was told to has nobody who waits; one that did not even look is ended with its thread.
 */
import { setFlagsFromString } from 'node:v8'
import { Piscina } from 'piscina'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { type Errand, type Flags, hasBegun } from '../worker/errand.ts'
import { createBirths } from './births.ts'
import { type SearchEnd, SearchFailure, type Task } from './search.ts'
import { forThread, oldestIdle, startedThreads } from './threads.ts'
import { watchOver } from './watch.ts'

interface WorkerOptions {
  readonly threads: number
  readonly memoryMb: number
  readonly graceMs: number
  readonly worker: URL
  readonly warmUp: readonly OptimizeRequest[]
  readonly little: readonly OptimizeRequest[]
  readonly onError: (error: unknown) => void
}

/** Room for what a search makes and soon forgets: with half of it more outlives a collection, and an answer takes a tenth longer. */
const youngMb = 48

const flags = [
  // Heaps are swept more often than V8 reckons with, and it would throw the code away of whatever has not run for five of them, and for two what it was optimised for.
  '--no-flush-bytecode',
  '--retain-maps-for-n-gc=1000000',
  // Of requests that follow each other it collects what they leave when a heap has grown by so much, instead of by up to 300 %.
  '--heap-growing-percent=150',
]

interface Running {
  readonly flags: Flags
  readonly end: (end: SearchEnd) => void
}

export function createWorkers({
  threads,
  memoryMb,
  graceMs,
  worker,
  warmUp,
  little,
  onError,
}: WorkerOptions) {
  // The limit that the main thread was started with is one of the process, and would overrule those of the threads.
  setFlagsFromString('--max-semi-space-size=0')
  for (const flag of flags) setFlagsFromString(flag)
  const workers = new Piscina({
    filename: worker.href,
    minThreads: threads,
    maxThreads: threads,
    workerData: { warmUp, little },
    loadBalancer: oldestIdle,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
  })
  const running = new Set<Running>()
  const births = createBirths(workers)

  // A thread failed before it took a task: searches that wait for it would wait for ever.
  workers.on('error', (error) => {
    onError(error)
    births.giveUp()
    for (const { flags, end } of running) if (!hasBegun(flags)) end('unavailable')
  })

  /** `freed` is called when the thread can take another search, which may be after nobody waits for this one any more. */
  function work<Answer>(
    name: Task,
    errand: Errand<unknown>,
    signal: AbortSignal,
    { leavingMs = graceMs, freed = () => {} } = {},
  ): Promise<Answer> {
    const { flags, timeoutMs } = errand
    const thread = new AbortController()
    let ended: SearchEnd | undefined
    const end = (how: SearchEnd) => {
      ended ??= how
      thread.abort()
    }
    return new Promise((resolve, reject) => {
      const refuse = (how: SearchEnd) => reject(new SearchFailure(how, 'It did not stop in time'))
      const task: Running = { flags, end }
      running.add(task)
      const over = watchOver({ flags, timeoutMs, signal, graceMs, leavingMs }, { refuse, endThread: end })
      const free = () => {
        over()
        running.delete(task)
        births.whenBorn(freed)
      }
      workers.run(errand, { name, signal: thread.signal }).then(
        (answer: Answer) => {
          free()
          resolve(answer)
        },
        (error: unknown) => {
          free()
          reject(failure(error, ended ?? (hasBegun(flags) ? undefined : 'unavailable')))
        },
      )
    })
  }

  return {
    work,
    help: (errand: unknown, signal: AbortSignal) => workers.run(errand, { name: 'help', signal }),
    forget: (thread: number): Promise<void> => workers.run(forThread(thread), { name: 'forget' }),
    sweep: (thread: number, grownBytes: number): Promise<void> =>
      workers.run({ ...forThread(thread), grownBytes }, { name: 'sweep' }),
    started: startedThreads(workers),
    destroy: () => workers.destroy(),
  }
}

/** A failure with a known cause, or the error itself, which is a defect. */
function failure(error: unknown, ended: SearchEnd | undefined): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const end = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : ended
  return end ? new SearchFailure(end, String(message), { cause: error }) : error
}
