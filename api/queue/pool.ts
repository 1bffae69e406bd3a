/**
 * Runs the searches of all requests, each in one worker thread. When all threads are busy, searches wait in a queue
 * that is fair between clients. A search that is told to stop does so at its next mesh, or is ended (workers.ts). One that turns out longer than was estimated may have to give way to a shorter one; it is then searched again, later.
 */
import { performance } from 'node:perf_hooks'
import { workerFile } from '../root.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { createCrewMemory } from '../worker/crew.ts'
import { askToStop, createFlags, wasCut } from '../worker/errand.ts'
import { createCrews } from './crews.ts'
import type { Estimates } from './estimated-work.ts'
import { createFairQueue, isLight } from './fair-queue.ts'
import { type Asked, forEachTask, type Search, type Searched, type Task, type Terms } from './search.ts'
import { forThread } from './threads.ts'
import { type Warming, warmWhileIdle } from './warming.ts'
import { createWorkers } from './workers.ts'

export interface PoolOptions {
  readonly threads: number
  /** Further threads, for light searches alone; 0 if absent. */
  readonly lightThreads?: number
  readonly maxQueue: number
  /** Limit of the queue for one client. */
  readonly maxQueueOfOne?: number
  /** Estimates that order the queue; without them all searches count as equal until they have run. */
  readonly estimates?: Estimates
  /** Most threads that may work on one answer, if idle; 1 if absent. */
  readonly threadsOfOne?: number
  readonly memoryMb: number
  readonly graceMs?: number
  /** Module that exports the tasks. */
  readonly worker?: URL
  /** What each thread searches when it starts, and so again when it takes another one's place, before it is given anything. */
  readonly warmUp?: readonly OptimizeRequest[]
  /** A little search of each kind, so that what is held of the last one of a kind is little, too. */
  readonly little?: readonly OptimizeRequest[]
  /** Called for threads that end without being asked to, or do not start. */
  readonly onError?: (error: unknown) => void
}

export interface Pool extends Search {
  /** Resolves when the thread that is asked first has answered the requests, and so has loaded and compiled the code that they use. */
  readonly warm: (requests: readonly OptimizeRequest[]) => Promise<void>
  /**
   * Every thread answers these while nobody asks, the one that is asked first once more when it is asked `asClient`. Resolves when that has done so, or has
   * had long enough for it.
   */
  readonly warmWhileIdle: (
    requests: readonly OptimizeRequest[],
    asClient: () => Promise<void>,
  ) => Promise<void>
  readonly close: () => Promise<void>
}

const warmingMs = 60_000
const unaborted = new AbortController().signal
export function createPool(options: PoolOptions): Pool {
  const { threads, lightThreads = 0, maxQueue, maxQueueOfOne = maxQueue } = options
  const { threadsOfOne = 1, estimates, memoryMb } = options
  const { graceMs = 500, worker = workerFile, warmUp = [], little = [], onError = () => {} } = options
  const allThreads = threads + lightThreads
  const workers = createWorkers({ threads: allThreads, memoryMb, graceMs, worker, warmUp, little, onError })
  const { work } = workers
  const crews = createCrews(workers.help, { graceMs, onError })
  let warming: Warming | undefined
  const queue = createFairQueue({
    places: threads,
    lightPlaces: lightThreads,
    maxWaiting: maxQueue,
    maxWaitingOfOne: maxQueueOfOne,
    clock: () => performance.now() / 1000,
  })

  async function run<Answer>(name: Task, subject: Asked[Task], terms: Terms): Promise<Searched<Answer>> {
    const arrived = performance.now()
    if (warming) await warming.giveWay()
    let seconds = estimates?.secondsOf(subject) ?? 0
    try {
      for (let again = false; ; again = true) {
        const { began, gaveWay, ...found } = await searched<Answer>(name, subject, terms, { seconds, again })
        if (!gaveWay) return { ...found, waitedMs: began - arrived }
        seconds = Math.max(seconds, found.elapsedMs / 1000, estimates?.secondsOf(subject) ?? 0)
      }
    } finally {
      void warming?.giveWay()
    }
  }

  /** One search, from the queue on. Where it gave way, what it has found is of no use. */
  async function searched<Answer>(
    name: Task,
    subject: Asked[Task],
    { timeoutMs, signal, client = '', tell }: Terms,
    { seconds, again }: { readonly seconds: number; readonly again: boolean },
  ) {
    const flags = createFlags()
    let asked = false
    const giveWay = () => {
      asked = true
      askToStop(flags)
    }
    const leave = await queue.enter({ client, seconds, giveWay, again }, signal)
    const began = performance.now()
    const { running: busy } = queue.occupancy()
    // A light search has a thread besides those that help.
    crews.leave((isLight(seconds) ? allThreads : threads) - busy)
    const mayHelp = name === 'optimize' ? Math.min(threadsOfOne - 1, threads - busy - crews.helpers()) : 0
    const crew = mayHelp > 0 ? createCrewMemory() : undefined
    const errand = { subject, timeoutMs, flags, ...(tell ? { tell } : {}), ...(crew ? { crew } : {}) }
    const answered = work<Answer>(name, errand, signal, { freed: leave })
    if (crew) for (let helper = 0; helper < mayHelp; helper++) crews.help({ subject, timeoutMs, crew })
    const answer = await answered.finally(() => crew && crews.end(crew))
    const elapsedMs = performance.now() - began
    const cut = wasCut(flags)
    const gaveWay = asked && cut && !signal.aborted && elapsedMs < timeoutMs
    // One that was cut short would have taken longer than that.
    const tells = !cut || elapsedMs / 1000 > seconds
    if (tells && (gaveWay || !wasRefused(answer))) estimates?.learn(subject, elapsedMs / 1000)
    return { answer, began, elapsedMs, cut, gaveWay }
  }

  const warmingSearch = async (
    subject: OptimizeRequest,
    thread?: number,
    signal = unaborted,
  ): Promise<void> => {
    const task = { subject, timeoutMs: warmingMs, flags: createFlags() }
    const own = thread === undefined ? task : { ...task, ...forThread(thread) }
    await work('optimize', own, signal, { leavingMs: warmingMs })
  }

  return {
    ...forEachTask((task) => (subject, terms) => run(task, subject, terms)),
    occupancy: queue.occupancy,
    warm: async (requests) => {
      for (const request of requests) await warmingSearch(request)
    },
    warmWhileIdle: (requests, asClient) => {
      const isIdle = () => {
        const { running: busy, waiting } = queue.occupancy()
        return busy + waiting === 0
      }
      const { started, forget, sweep } = workers
      warming = warmWhileIdle(requests, {
        ...{ threads: started, search: warmingSearch, asClient, forget, sweep, isIdle },
      })
      return warming.warm
    },
    close: () => {
      warming?.end()
      return workers.destroy()
    },
  }
}

/** A request that was rejected says nothing about search times. */
function wasRefused(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'refused' in answer
}
