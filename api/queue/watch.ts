/**
 * Watches over one search in its thread. At its deadline, or when its client leaves, it has some grace to stop by
 * itself. Then nobody waits for it any more; its thread is ended only if it does not even test whether to stop for as long
 * again.
 */
import { performance } from 'node:perf_hooks'
import { askToStop, type Flags, hasBegun, looksOf } from '../worker/errand.ts'
import { longestBirthMs } from './births.ts'
import type { SearchEnd } from './search.ts'

export interface Watched {
  readonly flags: Flags
  readonly timeoutMs: number
  /** Fires when the client leaves. */
  readonly signal: AbortSignal
  readonly graceMs: number
  /** Grace after the client has left. */
  readonly leavingMs: number
}

export interface Ends {
  /** Nobody waits any more; may be called again. */
  readonly refuse: (how: SearchEnd) => void
  readonly endThread: (how: SearchEnd) => void
}

const betweenLooksMs = 50
/** How often a thread that is late, but still looks, gets `graceMs` more. */
const mostGraces = 4

/** The function that it returns has to be called when the search is over. */
export function watchOver(watched: Watched, { refuse, endThread }: Ends): () => void {
  const { flags, timeoutMs, signal, graceMs, leavingMs } = watched
  const sent = performance.now()
  let timer: NodeJS.Timeout | undefined

  const watch = () => {
    if (hasBegun(flags)) timer = setTimeout(() => allow('overdue', graceMs), timeoutMs)
    else if (performance.now() - sent > longestBirthMs) endThread('unavailable')
    else timer = setTimeout(watch, betweenLooksMs)
  }

  /** A thread that still looks is starved, not stuck, and a new one would have all to compile again. */
  const allow = (how: SearchEnd, ms: number, graces = mostGraces, blind = false) => {
    const looks = looksOf(flags)
    timer = setTimeout(() => {
      const looked = looksOf(flags) !== looks
      if (graces === 0 || (blind && !looked)) return endThread(how)
      refuse(how)
      allow(how, graceMs, graces - 1, !looked)
    }, ms)
  }

  const stop = () => {
    askToStop(flags)
    clearTimeout(timer)
    allow('left', leavingMs)
  }

  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  else watch()
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
