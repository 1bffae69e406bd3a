/**
 * Warms the threads up while nobody asks: V8 compiles code only after it has run some times, so that the first answer
 * of each kind takes several times as long as later ones. One thread at a time, so that a core is left for whoever asks next; that
 * request does not wait: the warming search stops at its next mesh, and is taken up again when nobody has asked for a while.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as elapsed } from 'node:timers/promises'

export interface Warming {
  /** To be called when a request arrives, and when it has its answer: another one may follow. */
  readonly giveWay: () => void
  readonly end: () => void
}

export interface Warmed<Request> {
  /** The threads that have started, in the order in which they are given requests. */
  readonly threads: () => readonly number[]
  readonly search: (request: Request, thread: number, signal: AbortSignal) => Promise<void>
  readonly isIdle: () => boolean
}

/** Each thread searches each request, until it was once completed or gave way too often; so do threads that are started later. */
export function warmWhileIdle<Request>(
  requests: readonly Request[],
  { threads, search, isIdle }: Warmed<Request>,
  { pauseMs = 250, quietMs = 1000, mostTries = 8 } = {},
): Warming {
  const ended = new AbortController()
  const done = new Map<number, number>()
  let current = new AbortController()
  let asked = Number.NEGATIVE_INFINITY
  let tries = 0
  const idle = async () => {
    do await elapsed(pauseMs, undefined, { ref: false, signal: ended.signal })
    while (!isIdle() || performance.now() - asked < quietMs)
  }
  const next = async () => {
    const running = threads()
    for (const thread of done.keys()) if (!running.includes(thread)) done.delete(thread)
    for (const thread of running) {
      const before = done.get(thread) ?? 0
      const request = requests[before]
      if (request === undefined) continue
      current = new AbortController()
      // A thread that fails here is reported when it is asked for an answer.
      await search(request, thread, current.signal).catch(() => {})
      const over = !current.signal.aborted || ++tries >= mostTries
      if (over) done.set(thread, before + 1)
      if (over) tries = 0
      return
    }
  }
  const all = async () => {
    for (;;) {
      await idle()
      await next()
    }
  }
  // It is told to end while it waits.
  all().catch(() => {})
  return {
    giveWay: () => {
      asked = performance.now()
      current.abort()
    },
    end: () => {
      ended.abort()
      current.abort()
    },
  }
}
