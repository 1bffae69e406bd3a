/**
 * A search that is not done twice. Who asks what is being searched waits for that search, which is told to stop only when all who wait
 * for it have left; and what was answered lately is answered again. Answers are kept whole or not at all: one that a deadline cut says
 * what that deadline allowed, not what the request has for an answer.
 */
import { deserialize, serialize } from 'node:v8'
import { LRUCache } from 'lru-cache'
import { canonical } from './canonical.ts'
import type { Search, Searched, Terms } from './search.ts'

export interface SharedSearch extends Search {
  readonly kept: () => { readonly answers: number; readonly bytes: number }
}

type Ask<Subject, Answer> = (subject: Subject, terms: Terms) => Promise<Searched<Answer>>

interface Flight<Answer> {
  readonly found: Promise<Searched<Answer>>
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
      : new LRUCache<string, Buffer>({
          maxSize: keptBytes,
          maxEntrySize: Math.ceil(keptBytes * largestShare),
          sizeCalculation: (bytes, key) => bytes.length + keyBytes(key),
        })

  function shared<Subject extends object, Answer>(
    task: string,
    ask: Ask<Subject, Answer>,
  ): Ask<Subject, Answer> {
    const flights = new Map<string, Flight<Answer>>()

    function begin(key: string, subject: Subject, { timeoutMs, ...terms }: Terms): Flight<Answer> {
      const stop = new AbortController()
      const found = ask(subject, { ...terms, timeoutMs, signal: stop.signal })
      const flight = { found, stop, waiting: 0 }
      flights.set(key, flight)
      return flight
    }

    async function join(key: string, flight: Flight<Answer>, signal: AbortSignal): Promise<Searched<Answer>> {
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
    function land(key: string, flight: Flight<Answer>): void {
      if (flights.get(key) === flight) flights.delete(key)
    }

    return async (subject, terms) => {
      const asked = `${task} ${canonical({ ...subject, timeoutMs: undefined })}`
      const bytes = kept?.get(asked)
      if (bytes) return { ...(deserialize(bytes) as Searched<Answer>), waitedMs: 0, source: 'kept' }
      // The time that it may take is part of what is asked of a search, though not of an answer.
      const key = `${terms.timeoutMs} ${asked}`
      const under = flights.get(key)
      if (under) return { ...(await join(key, under, terms.signal)), source: 'shared' }
      const found = await join(key, begin(key, subject, terms), terms.signal)
      if (kept && !found.cut) kept.set(asked, serialize(found))
      return found
    }
  }

  return {
    ...search,
    optimize: shared('optimize', search.optimize),
    evaluate: shared('evaluate', search.evaluate),
    validate: shared('validate', search.validate),
    collective: shared('collective', search.collective),
    kept: () => ({ answers: kept?.size ?? 0, bytes: kept?.calculatedSize ?? 0 }),
  }
}
