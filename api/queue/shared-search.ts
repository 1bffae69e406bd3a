/**
 * Avoids repeated searches. A request that is already being searched waits for that search, which is told to stop only
 * when everybody who waits for it has left; a recent answer is sent again. Only complete answers are stored: one that a
 * deadline cut short is specific to that deadline.
 */
import { LRUCache } from 'lru-cache'
import { type Reply, sizeOf } from '../worker/reply.ts'
import { canonical } from './canonical.ts'
import {
  type Ask,
  type Asked,
  type Asks,
  forEachTask,
  type Search,
  type Searched,
  type Task,
  type Terms,
} from './search.ts'

export interface SharedSearch extends Search {
  readonly kept: () => { readonly answers: number; readonly bytes: number }
}

interface Flight {
  readonly found: Promise<Searched<Reply>>
  readonly stop: AbortController
  waiting: number
}

/** Memory of a key: two bytes per character, and the map's entry. */
const keyBytes = (key: string) => 2 * key.length + 200

/** A single answer may take at most this fraction of the memory. */
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

  const asks: Asks = search

  function shared<Name extends Task>(task: Name): Ask<Name> {
    const flights = new Map<string, Flight>()

    function begin(key: string, subject: Asked[Name], { timeoutMs, ...terms }: Terms): Flight {
      const stop = new AbortController()
      const found = asks[task](subject, { ...terms, timeoutMs, signal: stop.signal })
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

    /** The search can no longer be joined. */
    function land(key: string, flight: Flight): void {
      if (flights.get(key) === flight) flights.delete(key)
    }

    return async (subject, terms) => {
      const asked = `${task} ${canonical({ ...subject, timeoutMs: undefined })}${terms.tell ? canonical(terms.tell) : ''}`
      const known = kept?.get(asked)
      if (known) return { ...known, waitedMs: 0, source: 'kept' }
      // A search depends on its time limit, although a complete answer does not.
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
    ...forEachTask(shared),
    kept: () => ({ answers: kept?.size ?? 0, bytes: kept?.calculatedSize ?? 0 }),
  }
}
