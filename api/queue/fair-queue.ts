/**
 * Decides who searches next. Clients share the threads by the time that their searches take, not by their number; light
 * searches go before heavy ones; and some threads are kept from searches of some length, so that shorter ones find them
 * free however many long ones there are.
 *
 * Self-clocked fair queueing (Golestani, "A Self-Clocked Fair Queueing Scheme for Broadband Applications", 1994): each
 * waiting search has a tag, which is the later of its arrival and the end of its client's previous share, plus its own
 * seconds. The lowest tag is next, and becomes the virtual time at which later arrivals are tagged, so that nobody
 * waits for ever. Seconds are estimates; when a search ends, its client is charged for what it really took.
 *
 * A search that runs for longer than it was taken for counts as what it has become. Where more long searches run than
 * may, and a shorter one waits, the last that was misjudged gives way: it stops, and enters again as what it is. So a light
 * search waits for a misjudged one no longer than a light one may take.
 */
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
  /** Tag up to which each client has used its share; clients without an entry have nothing to wait for. */
  const paidFrom = new Map<string, number>()
  let now = 0
  let cancelLook = () => {}

  const tagOf = ({ client, seconds, since }: Pick<Waiting, 'client' | 'seconds' | 'since'>) =>
    Math.max(since, paidFrom.get(client) ?? 0) + seconds
  const within = (bound: Bound) => (each: Claim) => each.seconds >= bound.seconds
  const hasRun = ({ began }: Running) => clock() - began
  const runWithin = (bound: Bound) =>
    [...running].filter((each) => Math.max(each.seconds, hasRun(each)) >= bound.seconds)

  function next(): Waiting | undefined {
    const held = bounds.find((bound) => runWithin(bound).length >= bound.places)
    let first: Waiting | undefined
    for (const each of waiting) {
      if (held && each.seconds >= held.seconds) continue
      if (!first || tagOf(each) < tagOf(first)) first = each
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
    const { client, seconds } = entry
    const tag = tagOf(entry)
    now = Math.max(now, tag)
    paidFrom.set(client, tag)
    const turn = { ...entry, began: clock(), leaving: false }
    running.add(turn)
    return () => {
      if (!running.delete(turn)) return
      const took = clock() - turn.began
      paidFrom.set(client, (paidFrom.get(client) ?? now) + took - seconds)
      forget()
      admit()
    }
  }

  /** Drops clients whose share is used up to the present: they would not have to wait. */
  function forget(): void {
    const here = new Set(waiting.map(({ client }) => client))
    for (const [client, paid] of paidFrom) if (paid <= now && !here.has(client)) paidFrom.delete(client)
  }

  /** Estimated time until everything that runs or waits now is done. */
  function secondsOfWork(): number {
    const at = clock()
    const left = [
      ...[...running].map(({ began, ...each }) => ({
        ...each,
        left: Math.max(0, each.seconds - (at - began)),
      })),
      ...waiting.map((each) => ({ ...each, left: each.seconds })),
    ]
    const sum = (all: readonly { readonly left: number }[]) =>
      all.reduce((total, each) => total + each.left, 0)
    return Math.max(...bounds.map((bound) => sum(left.filter(within(bound))) / bound.places))
  }

  return {
    enter: (claim, signal) => {
      const { client, again = false } = claim
      if (signal.aborted)
        return Promise.reject(new SearchFailure('left', 'It was told to stop before it began'))
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          ...claim,
          since: now,
          begin: () => {
            signal.removeEventListener('abort', leave)
            resolve(begin(entry))
          },
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(entry), 1)
          look()
          reject(new SearchFailure('left', 'It was told to stop while it waited'))
        }
        waiting.push(entry)
        admit()
        if (!waiting.includes(entry)) return
        const ofClient = waiting.filter((each) => each.client === client).length
        const tooMany = again
          ? undefined
          : waiting.length > maxWaiting
            ? 'full'
            : ofClient > maxWaitingOfOne
              ? 'crowded'
              : undefined
        if (!tooMany) {
          signal.addEventListener('abort', leave, { once: true })
          return
        }
        waiting.splice(waiting.indexOf(entry), 1)
        look()
        const retryAfterSeconds = Math.max(1, Math.ceil(secondsOfWork()))
        const told = `${running.size} searches run, ${waiting.length} wait, ${ofClient - 1} of them of this client`
        reject(new SearchFailure(tooMany, told, { retryAfterSeconds }))
      })
    },
    occupancy: () => ({ running: running.size, waiting: waiting.length }),
  }
}
