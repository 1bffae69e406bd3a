/**
 * Warms the threads up while nobody asks: V8 compiles code only after it has run some times, so that the first answer
 * of each kind takes several times as long as later ones. One thread at a time, so that a core is left for whoever asks next. Then the warming
 * search stops at its next mesh, for which a request waits only if the thread that is asked first is the one that warms up (`giveWay`); it is taken up
 * again when nobody has asked for a while. Heaps are swept then, too: after these searches, and after requests.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as elapsed } from 'node:timers/promises'
import { createSweeps } from './sweeps.ts'

export interface Warming {
  /** Resolves when the thread that is asked first has searched all of the requests, and at the latest after a while. */
  readonly warm: Promise<void>
  /**
   * To be called when a request arrives, and when it has its answer: another one may follow. Resolves when the thread that is asked first is free of
   * what warmed it up, so that the request is given to that one and not to a colder one.
   */
  readonly giveWay: () => Promise<void>
  readonly end: () => void
}

export interface Warmed<Request> {
  /** The threads that have started, in the order in which they are given requests. */
  readonly threads: () => readonly number[]
  readonly search: (request: Request, thread: number, signal: AbortSignal) => Promise<void>
  /** Has the first thread search the same again, asked as clients ask. */
  readonly asClient: () => Promise<void>
  /** Has the thread forget what it found for these requests: nobody else asks for it. */
  readonly forget: (thread: number) => Promise<void>
  /** Gives back what searches left in the thread's heap, if that has grown by so many bytes. */
  readonly sweep: (thread: number, grownBytes: number) => Promise<void>
  readonly isIdle: () => boolean
}

/** A search that is told to stop does so at its next mesh, and a sweep takes 50 to 200 ms. A request waits no longer for that than a cold thread would make it wait. */
const longestWaitMs = 300
/** A sweep of a heap that has grown by less gives back less than it costs. */
const muchBytes = 24e6
const nothing = Promise.resolve()

/**
 * Each thread searches each request, until it was once completed or gave way too often; so do threads that are started later. The one that is asked
 * first does so twice, as V8 optimises what has run several times: without a pause, as somebody waits for it to be warm, and then by way of
 * all that lies between a client and a thread.
 */
export function warmWhileIdle<Request>(
  requests: readonly Request[],
  { threads, search, asClient, forget, sweep, isIdle }: Warmed<Request>,
  { pauseMs = 250, quietMs = 1000, mostTries = 8, warmWithinMs = 15_000, sweepAfterMs = 10_000 } = {},
): Warming {
  const ended = new AbortController()
  const done = new Map<number, number>()
  const sweeps = createSweeps([
    { afterMs: quietMs, grownBytes: muchBytes },
    { afterMs: sweepAfterMs, grownBytes: 0 },
  ])
  let current = new AbortController()
  /** What the thread that is asked first is doing for nobody; null while that is nothing. */
  let first: Promise<void> | null = null
  let asked = Number.NEGATIVE_INFINITY
  let tries = 0
  let isWarm = false
  let settle = () => {}
  const warm = new Promise<void>((resolve) => {
    settle = () => {
      isWarm = true
      resolve()
    }
  })
  if (requests.length === 0) settle()
  setTimeout(settle, warmWithinMs).unref()
  const pause = (milliseconds: number) =>
    elapsed(milliseconds, undefined, { ref: false, signal: ended.signal })
  const idle = async () => {
    await pause(isWarm ? pauseMs : 0)
    while (!isIdle() || performance.now() - asked < quietMs) await pause(pauseMs)
  }
  /** A thread that fails here is reported when it is asked for an answer. */
  const busyWith = async (thread: number, work: Promise<void>) => {
    const done = work.catch(() => {})
    if (thread === threads()[0]) first = done
    await done
    first = null
  }
  const swept = async (): Promise<boolean> => {
    const due = sweeps.next(performance.now() - asked)
    if (due && threads().includes(due.thread)) await busyWith(due.thread, sweep(due.thread, due.grownBytes))
    return due !== undefined
  }
  const warmed = async () => {
    const running = threads()
    for (const thread of done.keys()) if (!running.includes(thread)) done.delete(thread)
    for (const thread of running) {
      const before = done.get(thread) ?? 0
      const request = requests[before]
      if (request === undefined) continue
      current = new AbortController()
      await busyWith(thread, search(request, thread, current.signal))
      const over = !current.signal.aborted || ++tries >= mostTries
      if (!over) return
      done.set(thread, before + 1)
      tries = 0
      const isDone = before + 1 === requests.length
      if (isDone && !isWarm) await asClient().catch(() => {})
      if (isDone) await busyWith(thread, forget(thread))
      // While somebody waits for the first one to be warm, it is swept once, and with it the others, which have been idle since they were first.
      const unswept = isWarm ? [thread] : isDone ? running : []
      for (const each of unswept) await busyWith(each, sweep(each, 0))
      if (isDone) settle()
      return
    }
  }
  const all = async () => {
    for (const thread of threads().slice(1)) await sweep(thread, 0).catch(() => {})
    for (;;) {
      await idle()
      if (!(await swept())) await warmed()
    }
  }
  // It is told to end while it waits.
  all().catch(() => {})
  return {
    warm,
    giveWay: () => {
      asked = performance.now()
      sweeps.used(threads())
      current.abort()
      return first ? Promise.race([first, elapsed(longestWaitMs, undefined, { ref: false })]) : nothing
    },
    end: () => {
      ended.abort()
      current.abort()
      settle()
    },
  }
}
