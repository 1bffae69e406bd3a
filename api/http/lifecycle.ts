/**
 * From the start to shutdown. While warming up, requests are answered already, only later than they will be. While draining, requests in
 * progress go on and new ones are rejected; at the deadline the remaining searches are told to stop.
 */
import { setMaxListeners } from 'node:events'

export interface Lifecycle {
  readonly warming: () => boolean
  /** To be called once it is warm. */
  readonly warmed: () => void
  readonly draining: () => boolean
  /** Fires at the deadline. */
  readonly stopping: AbortSignal
  /** Counts a request in; the function that it returns counts it out. */
  readonly enter: () => () => void
  /** Resolves when no request is in progress any more, or a second after the deadline. */
  readonly drain: (deadlineMs: number) => Promise<void>
}

const lastWordsMs = 1000

export function createLifecycle({ warming = false } = {}): Lifecycle {
  const stop = new AbortController()
  // There is one listener for each request in progress.
  setMaxListeners(0, stop.signal)
  let isWarming = warming
  let draining = false
  let inside = 0
  let whenEmpty = () => {}

  return {
    warming: () => isWarming,
    warmed: () => {
      isWarming = false
    },
    draining: () => draining,
    stopping: stop.signal,
    enter() {
      inside++
      let left = false
      return () => {
        if (left) return
        left = true
        if (--inside === 0) whenEmpty()
      }
    },
    drain(deadlineMs) {
      draining = true
      if (inside === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const deadline = setTimeout(() => stop.abort(), deadlineMs)
        const end = setTimeout(() => whenEmpty(), deadlineMs + lastWordsMs)
        whenEmpty = () => {
          clearTimeout(deadline)
          clearTimeout(end)
          resolve()
        }
      })
    },
  }
}
