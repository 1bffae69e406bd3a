/**
 * The best `top` of a space, exact: meshes are come to in the order of their floors, and where the floor of one is over the
 * score of the last that still makes the list, or of what is listed of its own kind, it is proven no better. Whoever searches says what floors a mesh, what is
 * looked at inside of it, and what it counts for. Where the search is told to stop, what it has not looked at is unexamined, and
 * the least floor of it is under all that might have come.
 */
import { alone, type Crew, inBlocks } from '../crew.ts'
import type { Stop } from '../patience.ts'
import { insert, type Order, type Scored } from './listed.ts'
import { nextSize, type Round } from './round.ts'
import { type Counts, noCounts, type Reason } from './tally.ts'

/** A mesh in the order in which it is come to. */
export interface Turn {
  readonly floor: number
}

export interface Ground<Place, At extends Turn, Told> {
  readonly places: readonly Place[]
  /** What there is to find out of a place, as plain data. */
  readonly look: (place: Place) => Told
  /** Its turn, or why it can have none. */
  readonly turnOf: (place: Place, told: Told) => At | Reason
  /** What a place counts for whose floor there was no time for. */
  readonly count: (place: Place) => number
  /** Of floors that are equal. */
  readonly compare: (a: At, b: At) => number
}

/** In order, and what has no turn. Once it is late to look for floors, those that have one are searched. */
export interface Ordered<At> {
  readonly turns: readonly At[]
  readonly counts: Counts
  readonly floor: number
}

export function ordered<Place, At extends Turn, Told>(
  { places, look, turnOf, count, compare }: Ground<Place, At, Told>,
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
      else turns.push(turn)
    }
  }
  return { turns: turns.sort((a, b) => a.floor - b.floor || compare(a, b)), counts, floor }
}

const blockSize = 32

/** What is costed under a limit that another of its round lowers is costed in vain. */
const round: Round = { first: 8, most: 32 }

/** What came of one turn: its best, if that may be listed, and what it counts for. */
export interface Looked<Found> extends Partial<Counts> {
  readonly best: Found | null
  /** Others of it that may be listed beside. */
  readonly others?: readonly Found[]
}

export interface Search<At, One, Seen extends Looked<One>> {
  readonly turns: readonly At[]
  readonly count: (turn: At) => number
  /** `none`: whether nothing is listed yet. Of what scores worse than the limit none is wanted. */
  readonly look: (turn: At, limit: number, none: boolean) => Seen
  /** Told of each in the order of turns. */
  readonly note?: (seen: Seen) => void
  /** As it is here, of what another thread saw. */
  readonly restored?: (seen: Seen, turn: At) => Seen
  readonly order: Order<One>
  /** Of a kind the best alone is listed: none where it is not known before of which a turn is. */
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
      const own = kind?.ofTurn(turn)
      const limit = (own === undefined ? undefined : limits.get(own)) ?? last
      if (turn.floor > limit) {
        counts.pruned += count(turn)
        continue
      }
      // Where nothing else does, the first of a kind bounds the others of it.
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

/** A turn, and what is listed before its round. */
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
