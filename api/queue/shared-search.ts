/**
 * A search that is not done twice. Who asks what is being searched waits for that search, which is told to stop only when all who wait
 * for it have left; and what was answered lately is answered again. Answers are kept whole or not at all: one that a deadline cut says
 * what that deadline allowed, not what the request has for an answer.
 */
import { LRUCache } from 'lru-cache'
import { type Reply, sizeOf } from '../worker/reply.ts'
import { canonical } from './canonical.ts'
import type { Search, Searched, Terms } from './search.ts'

export interface SharedSearch extends Search {
  readonly kept: () => { readonly answers: number; readonly bytes: number }
}

type Ask<Subject> = (subject: Subject, terms: Terms) => Promise<Searched<Reply>>

interface Flight {
  readonly found: Promise<Searched<Reply>>
  readonly stop: AbortController
  waiting: number
}

/** As strings of two bytes a character, with what a map takes for an entry. */
const keyBytes = (key: string) => 2 * key.length + 200

/** Answers of which a few would fill the room are not worth it. */
const largestShare = 1 / 8

export function sharedSearch(search: Search, { keptBytes }: { readonly keptBytes: number }): SharedSearch {
  const kept =
    keptBytes === 0
      ? undefined
      : new LRUCache<string, Searched<Reply>>({
          maxSize: keptBytes,
          maxEntrySize: Math.ceil(keptBytes * largestShare),
          sizeCalculation: ({ answer }, key) => sizeOf(answer) + keyBytes(key),
        })

  function shared<Subject extends object>(task: string, ask: Ask<Subject>): Ask<Subject> {
    const flights = new Map<string, Flight>()

    function begin(key: string, subject: Subject, { timeoutMs, ...terms }: Terms): Flight {
      const stop = new AbortController()
      const found = ask(subject, { ...terms, timeoutMs, signal: stop.signal })
      const flight = { found, stop, waiting: 0 }
      flights.set(key, flight)
      return flight
    }

    async function join(key: string, flight: Flight, signal: AbortSignal): Promise<Searched<Reply>> {
      const leave = () => {
        if (--flight.waiting > 0) return
        land(key, flight)
        flight.stop.abort()
      }
      flight.waiting++
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
      try {
        return await flight.found
      } finally {
        signal.removeEventListener('abort', leave)
        land(key, flight)
      }
    }

    /** Whoever comes now is too late for it. */
    function land(key: string, flight: Flight): void {
      if (flights.get(key) === flight) flights.delete(key)
    }

    return async (subject, terms) => {
      const asked = `${task} ${canonical({ ...subject, timeoutMs: undefined })}${terms.tell ? canonical(terms.tell) : ''}`
      const known = kept?.get(asked)
      if (known) return { ...known, waitedMs: 0, source: 'kept' }
      // The time that it may take is part of what is asked of a search, though not of an answer.
      const key = `${terms.timeoutMs} ${asked}`
      const under = flights.get(key)
      if (under) return { ...(await join(key, under, terms.signal)), source: 'shared' }
      const found = await join(key, begin(key, subject, terms), terms.signal)
      if (kept && !found.cut) kept.set(asked, found)
      return found
    }
  }

  return {
    ...search,
    optimize: shared('optimize', search.optimize),
    evaluate: shared('evaluate', search.evaluate),
    validate: shared('validate', search.validate),
    calibrate: shared('calibrate', search.calibrate),
    compare: shared('compare', search.compare),
    collective: shared('collective', search.collective),
    kept: () => ({ answers: kept?.size ?? 0, bytes: kept?.calculatedSize ?? 0 }),
  }
}
