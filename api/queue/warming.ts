/**
 * Warms the threads up while nobody asks: V8 compiles code only after it has run some times, so that the first answer
 * of each kind takes several times as long as later ones. A real request does not wait: the warming search stops at its
 * next mesh, and is resumed later.
 */
import { setTimeout as elapsed } from 'node:timers/promises'

export interface Warming {
  /** To be called when a request arrives. */
  readonly giveWay: () => void
  readonly end: () => void
}

/** All threads search each request in turn, until it was once completed or gave way too often. */
export function warmWhileIdle<Request>(
  requests: readonly Request[],
  search: (request: Request, signal: AbortSignal) => Promise<void>,
  isIdle: () => boolean,
  { pauseMs = 250, mostTries = 8 } = {},
): Warming {
  const ended = new AbortController()
  let current = new AbortController()
  const idle = async () => {
    do await elapsed(pauseMs, undefined, { ref: false, signal: ended.signal })
    while (!isIdle())
  }
  const warmed = async (request: Request) => {
    for (let tries = 0; tries < mostTries; tries++) {
      await idle()
      current = new AbortController()
      await search(request, current.signal)
      if (!current.signal.aborted) return
    }
  }
  const all = async () => {
    for (const request of requests) await warmed(request)
  }
  // A thread that fails here is reported when it is asked for an answer.
  all().catch(() => {})
  return {
    giveWay: () => current.abort(),
    end: () => {
      ended.abort()
      current.abort()
    },
  }
}
