/**
 * From serving to gone. While draining, requests that are being answered go on and new ones are refused; at the
 * deadline the searches that are left are told to stop.
 */
import { setMaxListeners } from 'node:events'

export interface Lifecycle {
  readonly draining: () => boolean
  /** Fires when waiting is over. */
  readonly stopping: AbortSignal
  /** Counts a request in; the function that it returns counts it out. */
  readonly enter: () => () => void
  /** Resolves when nothing is being answered any more, or a second after the deadline. */
  readonly drain: (deadlineMs: number) => Promise<void>
}

const lastWordsMs = 1000

export function createLifecycle(): Lifecycle {
  const stop = new AbortController()
  // Every request that is being answered listens.
  setMaxListeners(0, stop.signal)
  let draining = false
  let inside = 0
  let whenEmpty = () => {}

  return {
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
