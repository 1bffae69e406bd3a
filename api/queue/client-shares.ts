/**
 * How far each client has used its share of the threads: self-clocked fair queueing (Golestani, "A Self-Clocked Fair
 * Queueing Scheme for Broadband Applications", 1994). Each waiting search has a tag, which is the later of its arrival and
 * the end of its client's previous share, plus its own seconds. The lowest tag is next, and becomes the virtual time at
 * which later arrivals are tagged, so that nobody waits for ever. Seconds are estimates; when a search ends, its client
 * is charged for what it really took.
 */

/** A search of a client that arrived at a virtual time. */
interface Tagged {
  readonly client: string
  /** Estimated seconds. */
  readonly seconds: number
  readonly since: number
}

export function createShares() {
  /** Tag up to which each client has used its share; clients without an entry have nothing to wait for. */
  const paidFrom = new Map<string, number>()
  let now = 0
  const tagOf = ({ client, seconds, since }: Tagged) => Math.max(since, paidFrom.get(client) ?? 0) + seconds
  return {
    /** The virtual time. */
    now: () => now,
    tagOf,
    begin: (search: Tagged): void => {
      const tag = tagOf(search)
      now = Math.max(now, tag)
      paidFrom.set(search.client, tag)
    },
    /** Charges for what a search took, and forgets clients whose share is used up to the present if they have nothing `waiting`. */
    end: ({ client, seconds }: Tagged, took: number, waiting: readonly Tagged[]): void => {
      paidFrom.set(client, (paidFrom.get(client) ?? now) + took - seconds)
      const here = new Set(waiting.map((each) => each.client))
      for (const [other, paid] of paidFrom) if (paid <= now && !here.has(other)) paidFrom.delete(other)
    },
  }
}
