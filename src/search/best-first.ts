/**
 * The best `top` of a space, exactly. Meshes are searched in the order of their floors; when the floor of one is over the score of the
 * last that still makes the list, or of what is listed of its own kind, it is proven no better. The caller says what the floor of a mesh
 * is, what is looked at inside it, and how much it counts. When the search is told to stop, what it has not looked at is unexamined, and
 * the least floor of those bounds all that might have been found there.
 */
import { alone, type Crew, inBlocks } from '../crew.ts'
import type { Stop } from '../patience.ts'
import { insert, type Order, type Scored } from './listed.ts'
import { nextSize, type Round } from './round.ts'
import { type Counts, noCounts, type Reason } from './tally.ts'

/** A mesh in the order in which it is searched. */
export interface Turn {
  readonly floor: number
}

export interface Ground<Place, At extends Turn, Told> {
  readonly places: readonly Place[]
  /** Finds out what is needed of a place, as plain data, so that another thread may do it. */
  readonly look: (place: Place) => Told
  /** The turn of a place, or the reason why it has none. */
  readonly turnOf: (place: Place, told: Told) => At | Reason
  /** How much a place counts, when there was no time for its floor. */
  readonly count: (place: Place) => number
  /** Orders turns whose floors are equal. */
  readonly compare: (a: At, b: At) => number
  /** Turns whose floors are over it are pruned, and never sorted. */
  readonly most?: number
}

/** The turns in order, and the counts of what has none. When it is too late for more floors, only the places that have one are searched. */
export interface Ordered<At> {
  readonly turns: readonly At[]
  readonly counts: Counts
  readonly floor: number
}

export function ordered<Place, At extends Turn, Told>(
  { places, look, turnOf, count, compare, most = Number.POSITIVE_INFINITY }: Ground<Place, At, Told>,
  late: Stop,
  crew: Crew = alone,
): Ordered<At> {
  const counts = noCounts()
  const turns: At[] = []
  let floor = Number.POSITIVE_INFINITY
  const blocks = inBlocks(places, blockSize)
  const looks = crew.all(blocks, (block) => block.map((place) => (late() ? null : { told: look(place) })), {
    stop: late,
  })
  for (const [at, block] of blocks.entries()) {
    for (const [within, place] of block.entries()) {
      const seen = looks[at]?.[within]
      if (!seen) {
        counts.unexamined += count(place)
        floor = 0
        continue
      }
      const turn = turnOf(place, seen.told)
      if (typeof turn === 'string') counts[turn]++
      else if (turn.floor > most) counts.pruned += count(place)
      else turns.push(turn)
    }
  }
  return { turns: turns.sort((a, b) => a.floor - b.floor || compare(a, b)), counts, floor }
}

const blockSize = 32

/** A round starts small, because what is costed under a limit that another of the same round lowers is costed in vain. */
const round: Round = { first: 8, most: 32 }

/** What came of one turn: its best, if that may be listed, and what it adds to the counts. */
export interface Looked<Found> extends Partial<Counts> {
  readonly best: Found | null
  /** Others of the turn that may be listed as well. */
  readonly others?: readonly Found[]
}

export interface Search<At, One, Seen extends Looked<One>> {
  readonly turns: readonly At[]
  readonly count: (turn: At) => number
  /** `none` says whether nothing is listed yet. Nothing that scores worse than `limit` is wanted. */
  readonly look: (turn: At, limit: number, none: boolean) => Seen
  /** Called with each result, in the order of turns. */
  readonly note?: (seen: Seen) => void
  /** Turns what another thread saw into objects of this thread. */
  readonly restored?: (seen: Seen, turn: At) => Seen
  readonly order: Order<One>
  /** Only the best of each kind is listed; null when the kind of a turn cannot be known before it is searched. */
  readonly kind?: Kind<At, One> | null
  readonly top: number
  readonly most: number
  readonly stop: Stop
  readonly crew?: Crew
}

export interface Kind<At, One> {
  readonly ofTurn: (turn: At) => string
  readonly ofListed: (one: One) => string
}

export interface Found<One> {
  readonly list: readonly One[]
  readonly counts: Counts
  readonly floor: number
}

export function bestFirst<At extends Turn, One extends Scored, Seen extends Looked<One>>({
  turns,
  count,
  look,
  note = () => {},
  restored,
  order,
  kind,
  top,
  most,
  stop,
  crew = alone,
}: Search<At, One, Seen>): Found<One> {
  const list: One[] = []
  const counts = noCounts()
  let floor = Number.POSITIVE_INFINITY
  let next = 0
  let size = round.first
  const nextRound = (): readonly Under<At>[] => {
    const last = list.length < top ? most : (list.at(-1)?.score ?? 0)
    const limits = new Map(kind ? list.map((one) => [kind.ofListed(one), Math.min(last, one.score)]) : [])
    const chosen: Under<At>[] = []
    for (let turn = turns[next]; turn && chosen.length < size; turn = turns[++next]) {
      // Nothing is listed that is worse than the last, of whatever kind.
      const own = turn.floor > last ? undefined : kind?.ofTurn(turn)
      const limit = (own === undefined ? undefined : limits.get(own)) ?? last
      if (turn.floor > limit) {
        counts.pruned += count(turn)
        continue
      }
      // When nothing else gives a limit, the first of a kind bounds the others, so these wait for the next round.
      if (own !== undefined && limit === Number.POSITIVE_INFINITY && chosen.some((one) => one.kind === own))
        break
      chosen.push({ turn, limit, kind: own })
    }
    return chosen
  }
  for (let chosen = nextRound(); chosen.length > 0; chosen = nextRound()) {
    const none = list.length === 0
    const { evaluated } = counts
    const work = ({ turn, limit }: Under<At>) => (stop() ? null : look(turn, limit, none))
    const all = crew.all(chosen, work, {
      restored: (seen, { turn }) => seen && (restored?.(seen, turn) ?? seen),
      stop,
    })
    for (const [at, { turn }] of chosen.entries()) {
      const seen = all[at]
      if (!seen) {
        counts.unexamined += count(turn)
        floor = Math.min(floor, turn.floor)
        continue
      }
      note(seen)
      addCounts(counts, seen)
      if (seen.unexamined) floor = Math.min(floor, turn.floor)
      for (const one of [...(seen.best ? [seen.best] : []), ...(seen.others ?? [])]) {
        if (one.score <= most) insert(list, one, top, order)
      }
    }
    size = nextSize(round, size, counts.evaluated > evaluated)
  }
  return { list, counts, floor }
}

/** A turn, with the limit that was known before its round. */
interface Under<At> {
  readonly turn: At
  readonly limit: number
  readonly kind: string | undefined
}

export function addCounts(sum: Counts, more: Partial<Counts>): void {
  sum.pruned += more.pruned ?? 0
  sum.evaluated += more.evaluated ?? 0
  sum.unexamined += more.unexamined ?? 0
  sum.memory += more.memory ?? 0
  sum.divisibility += more.divisibility ?? 0
  sum.topology += more.topology ?? 0
  sum.constraint += more.constraint ?? 0
}
