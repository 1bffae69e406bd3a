/**
 * The searches of all requests, each whole in a worker thread; where all threads are busy they wait in a queue that is fair between
 * clients. A search that is told to stop does so by itself, at its next mesh; one that does not, within
 * `graceMs`, is ended with its thread, and a new thread takes its place.
 */
import { performance } from 'node:perf_hooks'
import { Piscina } from 'piscina'
import { workerFile } from '../root.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { createCrewMemory } from '../worker/crew.ts'
import { askToStop, createFlags, type Errand, type Flags, hasBegun, wasCut } from '../worker/errand.ts'
import { createCrews } from './crews.ts'
import type { Asked, Estimates } from './estimated-work.ts'
import { createFairQueue } from './fair-queue.ts'
import { type Search, type SearchEnd, type Searched, SearchFailure, type Terms } from './search.ts'
import { type Warming, warmWhileIdle } from './warming.ts'

export interface PoolOptions {
  readonly threads: number
  readonly maxQueue: number
  /** Of them, of one client. */
  readonly maxQueueOfOne?: number
  /** By which what waits is ordered; without them clients pay what their searches took, and no more is known. */
  readonly estimates?: Estimates
  /** Of those that nobody needs, as many as may work on one answer; each request is answered by one where absent. */
  readonly threadsOfOne?: number
  readonly memoryMb: number
  readonly graceMs?: number
  /** Exports what there is to ask: `optimize`, `evaluate`, `validate`, `calibrate`, `compare` and `collective`. */
  readonly worker?: URL
  /** Told of threads that end without having been asked to, or do not start. */
  readonly onError?: (error: unknown) => void
}

export interface Pool extends Search {
  /** Resolves when every worker has answered the requests: loaded, and compiled what they take. */
  readonly warm: (requests: readonly OptimizeRequest[]) => Promise<void>
  /** Goes on with these while nobody asks. */
  readonly warmWhileIdle: (requests: readonly OptimizeRequest[]) => void
  readonly close: () => Promise<void>
}

/** For a thread to start in, on however busy a machine. */
const longestBirthMs = 30_000
const betweenLooksMs = 50
const warmingMs = 60_000
/** What V8 would take of its own accord, 48 MB a thread, makes no search faster. */
const youngMb = 12

type Task = 'optimize' | 'evaluate' | 'validate' | 'calibrate' | 'compare' | 'collective'

interface Running {
  readonly flags: Flags
  readonly end: (end: SearchEnd) => void
}

export function createPool(options: PoolOptions): Pool {
  const { threads, maxQueue, maxQueueOfOne = maxQueue, threadsOfOne = 1, estimates, memoryMb } = options
  const { graceMs = 500, worker = workerFile, onError = () => {} } = options
  const workers = new Piscina({
    filename: worker.href,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
  })
  const running = new Set<Running>()
  const crews = createCrews((errand, signal) => workers.run(errand, { name: 'help', signal }), {
    graceMs,
    onError,
  })
  let warming: Warming | undefined
  const queue = createFairQueue({
    places: threads,
    maxWaiting: maxQueue,
    maxWaitingOfOne: maxQueueOfOne,
    clock: () => performance.now() / 1000,
  })

  // Of a thread that fails before it has a task: those that wait for it would do so for good.
  workers.on('error', (error) => {
    onError(error)
    for (const { flags, end } of running) if (!hasBegun(flags)) end('unavailable')
  })

  async function run<Answer>(
    name: Task,
    subject: Asked,
    { timeoutMs, signal, client = '', tell }: Terms,
  ): Promise<Searched<Answer>> {
    const arrived = performance.now()
    warming?.giveWay()
    const seconds = estimates?.secondsOf(subject) ?? 0
    const leave = await queue.enter({ client, seconds }, signal)
    const began = performance.now()
    const { running: busy } = queue.occupancy()
    crews.leave(threads - busy)
    const mayHelp = name === 'optimize' ? Math.min(threadsOfOne - 1, threads - busy - crews.helpers()) : 0
    const crew = mayHelp > 0 ? createCrewMemory() : undefined
    try {
      const flags = createFlags()
      const errand = { subject, timeoutMs, flags, ...(tell ? { tell } : {}), ...(crew ? { crew } : {}) }
      const answered = work<Answer>(name, errand, signal)
      if (crew) for (let helper = 0; helper < mayHelp; helper++) crews.help({ subject, timeoutMs, crew })
      const answer = await answered.finally(() => crew && crews.end(crew))
      const elapsedMs = performance.now() - began
      const cut = wasCut(flags)
      if (!cut && !wasRefused(answer)) estimates?.learn(subject, elapsedMs / 1000)
      return { answer, waitedMs: began - arrived, elapsedMs, cut }
    } finally {
      leave()
    }
  }

  async function work<Answer>(
    name: Task,
    errand: Errand<unknown>,
    signal: AbortSignal,
    mostMs = graceMs,
  ): Promise<Answer> {
    const { flags, timeoutMs } = errand
    const thread = new AbortController()
    const sent = performance.now()
    let ended: SearchEnd | undefined
    let timer: NodeJS.Timeout | undefined
    const end = (how: SearchEnd) => {
      ended ??= how
      thread.abort()
    }
    const watch = () => {
      if (hasBegun(flags)) timer = setTimeout(() => end('overdue'), timeoutMs + graceMs)
      else if (performance.now() - sent > longestBirthMs) end('unavailable')
      else timer = setTimeout(watch, betweenLooksMs)
    }
    const stop = () => {
      askToStop(flags)
      clearTimeout(timer)
      timer = setTimeout(() => end('left'), mostMs)
    }
    const task: Running = { flags, end }
    running.add(task)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    else watch()
    try {
      return await workers.run(errand, { name, signal: thread.signal })
    } catch (error) {
      throw failure(error, ended ?? (hasBegun(flags) ? undefined : 'unavailable'))
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      running.delete(task)
    }
  }

  const onEachThread = async (subject: OptimizeRequest, signal: AbortSignal): Promise<void> => {
    const searches = Array.from({ length: threads }, () =>
      work('optimize', { subject, timeoutMs: warmingMs, flags: createFlags() }, signal, warmingMs),
    )
    await Promise.all(searches)
  }

  return {
    optimize: (request, terms) => run('optimize', request, terms),
    evaluate: (request, terms) => run('evaluate', request, terms),
    validate: (request, terms) => run('validate', request, terms),
    calibrate: (request, terms) => run('calibrate', request, terms),
    compare: (comparison, terms) => run('compare', comparison, terms),
    collective: (request, terms) => run('collective', request, terms),
    occupancy: queue.occupancy,
    warm: async (requests) => {
      for (const request of requests) await onEachThread(request, new AbortController().signal)
    },
    warmWhileIdle: (requests) => {
      const isIdle = () => {
        const { running: busy, waiting } = queue.occupancy()
        return busy + waiting === 0
      }
      warming = warmWhileIdle(requests, onEachThread, isIdle)
    },
    close: () => {
      warming?.end()
      return workers.destroy()
    },
  }
}

/** What is refused was not searched for. */
function wasRefused(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'refused' in answer
}

/** A failure that has a name, or the error as it is: a defect. */
function failure(error: unknown, ended: SearchEnd | undefined): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const end = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : ended
  return end ? new SearchFailure(end, String(message), { cause: error }) : error
}
