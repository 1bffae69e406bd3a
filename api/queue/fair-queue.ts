/**
 * Who searches next. Clients share the threads by the time that their searches take, not by how many they send; of what waits the light goes before
 * the heavy; and what is heavy never has the last thread, so that what is light finds one soon.
 *
 * Self-clocked fair queueing (Golestani, "A Self-Clocked Fair Queueing Scheme for Broadband Applications", 1994): each that waits has a tag, the
 * later of when it came and when its client's last one is paid for, and its own seconds on top. The least tag is next, and is the time by which later
 * arrivals are tagged, so that nobody waits for ever. Seconds are estimates; when a search ends its client pays what it really took.
 */
import { SearchFailure } from './search.ts'

export interface QueueOptions {
  readonly places: number
  readonly maxWaiting: number
  readonly maxWaitingOfOne: number
  /** In seconds. */
  readonly clock: () => number
}

export interface Claim {
  readonly client: string
  /** That it is likely to search. */
  readonly seconds: number
}

/** To be called when the search ends. */
export type EndTurn = () => void

export interface FairQueue {
  /** Resolves when it is its turn. Rejects with a `SearchFailure`: `crowded` and `full` with when to come again, `left`. */
  readonly enter: (claim: Claim, signal: AbortSignal) => Promise<EndTurn>
  readonly occupancy: () => { readonly running: number; readonly waiting: number }
}

interface Waiting extends Claim {
  readonly since: number
  readonly begin: () => void
}

interface Running extends Claim {
  readonly began: number
}

/** What takes longer has others wait for it. */
const heavySeconds = 1

export function createFairQueue(options: QueueOptions): FairQueue {
  const { places, maxWaiting, maxWaitingOfOne, clock } = options
  const heavyPlaces = Math.max(1, places - 1)
  const waiting: Waiting[] = []
  const running = new Set<Running>()
  /** The tags until which clients have had their share. Who is not here has none to wait for. */
  const paidFrom = new Map<string, number>()
  let now = 0

  const tagOf = ({ client, seconds, since }: Pick<Waiting, 'client' | 'seconds' | 'since'>) =>
    Math.max(since, paidFrom.get(client) ?? 0) + seconds
  const isHeavy = ({ seconds }: Claim) => seconds >= heavySeconds

  function next(): Waiting | undefined {
    const heavies = [...running].filter(isHeavy).length
    const eligible = heavies < heavyPlaces ? waiting : waiting.filter((each) => !isHeavy(each))
    let first: Waiting | undefined
    for (const each of eligible) if (!first || tagOf(each) < tagOf(first)) first = each
    return first
  }

  function admit(): void {
    while (running.size < places) {
      const first = next()
      if (!first) return
      waiting.splice(waiting.indexOf(first), 1)
      first.begin()
    }
  }

  function begin({ client, seconds, since }: Pick<Waiting, 'client' | 'seconds' | 'since'>): EndTurn {
    const tag = tagOf({ client, seconds, since })
    now = Math.max(now, tag)
    paidFrom.set(client, tag)
    const turn = { client, seconds, began: clock() }
    running.add(turn)
    return () => {
      if (!running.delete(turn)) return
      const took = clock() - turn.began
      paidFrom.set(client, (paidFrom.get(client) ?? now) + took - seconds)
      forget()
      admit()
    }
  }

  /** Those who, were they to come now, would have nothing to wait for. */
  function forget(): void {
    const here = new Set(waiting.map(({ client }) => client))
    for (const [client, paid] of paidFrom) if (paid <= now && !here.has(client)) paidFrom.delete(client)
  }

  /** Until all that searches and waits now is done, if it takes as long as it is likely to. */
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
    return Math.max(sum(left) / places, sum(left.filter(isHeavy)) / heavyPlaces)
  }

  return {
    enter: ({ client, seconds }, signal) => {
      if (signal.aborted)
        return Promise.reject(new SearchFailure('left', 'It was told to stop before it began'))
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          client,
          seconds,
          since: now,
          begin: () => {
            signal.removeEventListener('abort', leave)
            resolve(begin(entry))
          },
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(entry), 1)
          reject(new SearchFailure('left', 'It was told to stop while it waited'))
        }
        waiting.push(entry)
        admit()
        if (!waiting.includes(entry)) return
        const ofClient = waiting.filter((each) => each.client === client).length
        const tooMany =
          waiting.length > maxWaiting ? 'full' : ofClient > maxWaitingOfOne ? 'crowded' : undefined
        if (!tooMany) {
          signal.addEventListener('abort', leave, { once: true })
          return
        }
        waiting.splice(waiting.indexOf(entry), 1)
        const retryAfterSeconds = Math.max(1, Math.ceil(secondsOfWork()))
        const told = `${running.size} searches run, ${waiting.length} wait, ${ofClient - 1} of them of this client`
        reject(new SearchFailure(tooMany, told, { retryAfterSeconds }))
      })
    },
    occupancy: () => ({ running: running.size, waiting: waiting.length }),
  }
}
