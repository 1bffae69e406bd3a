/**
 * Decides who searches next. Clients share the threads by the time that their searches take (client-shares.ts); light
 * searches go before heavy ones; and some threads are kept from searches of some length, so that shorter ones find them
 * free however many long ones there are.
 *
 * A search that runs for longer than it was taken for counts as what it has become. Where more long searches run than
 * may, and a shorter one waits, the last that was misjudged gives way: it stops, and enters again as what it is. So a light
 * search waits for a misjudged one no longer than a light one may take.
 */
import { createShares } from './client-shares.ts'
import { SearchFailure } from './search.ts'

export interface QueueOptions {
  readonly places: number
  /** Further places, for light searches alone; 0 if absent. */
  readonly lightPlaces?: number
  readonly maxWaiting: number
  readonly maxWaitingOfOne: number
  /** Seconds. */
  readonly clock: () => number
  /** Calls back after so many seconds; returns what cancels that. */
  readonly later?: (seconds: number, call: () => void) => () => void
}

export interface Claim {
  readonly client: string
  /** Estimated seconds of the search. */
  readonly seconds: number
  /** Asks the search to stop and to enter again; without it, it runs to its end. */
  readonly giveWay?: () => void
  /** Whether it has given way before: it is not refused, as it was let in then. */
  readonly again?: boolean
}

/** Has to be called when the search ends. */
export type EndTurn = () => void

export interface FairQueue {
  /** Resolves when it is the claim's turn. Rejects with a `SearchFailure`: `crowded` or `full`, with a time to try again, or `left`. */
  readonly enter: (claim: Claim, signal: AbortSignal) => Promise<EndTurn>
  readonly occupancy: () => { readonly running: number; readonly waiting: number }
}

interface Waiting extends Claim {
  readonly since: number
  readonly begin: () => void
}

interface Running extends Claim {
  readonly began: number
  leaving: boolean
}

/** Searches of at least this estimated length leave one of several places free. */
const heavySeconds = 1

/** Searches of at least this estimated length do not get the places for light ones. */
const lightSeconds = 0.25

export function isLight(seconds: number): boolean {
  return seconds < lightSeconds
}

/** A timer looks this much later, so that rounding never makes it look before the time is over. */
const aMoment = 0.001

/** How many searches of at least such a length may run at once. */
interface Bound {
  readonly seconds: number
  readonly places: number
}

function afterSeconds(seconds: number, call: () => void): () => void {
  const timer = setTimeout(call, 1000 * seconds)
  return () => clearTimeout(timer)
}

export function createFairQueue(options: QueueOptions): FairQueue {
  const { places, lightPlaces = 0, maxWaiting, maxWaitingOfOne, clock, later = afterSeconds } = options
  const bounds: readonly Bound[] = [
    { seconds: 0, places: places + lightPlaces },
    { seconds: lightSeconds, places },
    { seconds: heavySeconds, places: Math.max(1, places - 1) },
  ]
  const waiting: Waiting[] = []
  const running = new Set<Running>()
  const shares = createShares()
  let cancelLook = () => {}

  const hasRun = ({ began }: Running) => clock() - began
  const runWithin = (bound: Bound) =>
    [...running].filter((each) => Math.max(each.seconds, hasRun(each)) >= bound.seconds)

  function next(): Waiting | undefined {
    const held = bounds.find((bound) => runWithin(bound).length >= bound.places)
    let first: Waiting | undefined
    for (const each of waiting) {
      if (held && each.seconds >= held.seconds) continue
      if (!first || shares.tagOf(each) < shares.tagOf(first)) first = each
    }
    return first
  }

  function admit(): void {
    for (let first = next(); first; first = next()) {
      waiting.splice(waiting.indexOf(first), 1)
      first.begin()
    }
    look()
  }

  /** Makes room for searches that wait for longer ones, now or when one of these has run for longer than it may. */
  function look(): void {
    cancelLook()
    cancelLook = () => {}
    const shorter = (bound: Bound) => waiting.some(({ seconds }) => seconds < bound.seconds)
    const blocking = bounds.filter(shorter)
    for (const bound of blocking) {
      const stay = runWithin(bound).filter(({ leaving }) => !leaving)
      const excess = stay.length - bound.places
      const misjudged = stay.filter(({ seconds, giveWay }) => giveWay && seconds < bound.seconds)
      for (const each of misjudged.slice(Math.max(0, misjudged.length - Math.max(0, excess)))) {
        each.leaving = true
        each.giveWay?.()
      }
    }
    const until = blocking
      .flatMap(({ seconds }) => [...running].map((each) => seconds - hasRun(each)))
      .filter((left) => left > 0)
    if (until.length > 0) cancelLook = later(Math.min(...until) + aMoment, look)
  }

  function begin(entry: Waiting): EndTurn {
    shares.begin(entry)
    const turn = { ...entry, began: clock(), leaving: false }
    running.add(turn)
    return () => {
      if (!running.delete(turn)) return
      shares.end(turn, hasRun(turn), waiting)
      admit()
    }
  }

  /** Estimated time until everything that runs or waits now is done. */
  function secondsOfWork(): number {
    const all = [
      ...[...running].map((each) => ({ ...each, left: Math.max(0, each.seconds - hasRun(each)) })),
      ...waiting.map((each) => ({ ...each, left: each.seconds })),
    ]
    const times = bounds.map((bound) => {
      const own = all.filter(({ seconds }) => seconds >= bound.seconds)
      return own.reduce((sum, { left }) => sum + left, 0) / bound.places
    })
    return Math.max(...times)
  }

  const ofClient = (client: string) => waiting.filter((each) => each.client === client).length

  /** Whether more wait than may, of all or of one client; whoever was let in before is not refused. */
  function tooMany({ client, again = false }: Claim): 'full' | 'crowded' | null {
    if (again) return null
    if (waiting.length > maxWaiting) return 'full'
    return ofClient(client) > maxWaitingOfOne ? 'crowded' : null
  }

  function leave(entry: Waiting): void {
    waiting.splice(waiting.indexOf(entry), 1)
    look()
  }

  return {
    enter: (claim, signal) => {
      if (signal.aborted)
        return Promise.reject(new SearchFailure('left', 'It was told to stop before it began'))
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          ...claim,
          since: shares.now(),
          begin: () => {
            signal.removeEventListener('abort', stopped)
            resolve(begin(entry))
          },
        }
        const stopped = () => {
          leave(entry)
          reject(new SearchFailure('left', 'It was told to stop while it waited'))
        }
        waiting.push(entry)
        admit()
        if (!waiting.includes(entry)) return
        const refusal = tooMany(claim)
        if (!refusal) {
          signal.addEventListener('abort', stopped, { once: true })
          return
        }
        leave(entry)
        const retryAfterSeconds = Math.max(1, Math.ceil(secondsOfWork()))
        const told = `${running.size} searches run, ${waiting.length} wait, ${ofClient(claim.client)} of them of this client`
        reject(new SearchFailure(refusal, told, { retryAfterSeconds }))
      })
    },
    occupancy: () => ({ running: running.size, waiting: waiting.length }),
  }
}
