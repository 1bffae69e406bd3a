/**
 * The best `top` of a space, exact: meshes are come to in the order of their floors, and where the floor of one is over the
 * score of the last that still makes the list, or of what is listed of its own kind, it is proven no better. Whoever searches says what floors a mesh, what is
 * looked at inside of it, and what it counts for. Where the search is told to stop, what it has not looked at is unexamined, and
 * the least floor of it is under all that might have come.
 */
import type { Stop } from '../patience.ts'
import { insert, type Order, type Scored } from './listed.ts'
import { type Counts, noCounts, type Reason } from './tally.ts'

/** A mesh in the order in which it is come to. */
export interface Turn {
  readonly floor: number
}

export interface Ground<Place, At extends Turn> {
  readonly places: readonly Place[]
  /** Its turn, or why it can have none. */
  readonly turnOf: (place: Place) => At | Reason
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

export function ordered<Place, At extends Turn>(
  { places, turnOf, count, compare }: Ground<Place, At>,
  late: Stop,
): Ordered<At> {
  const counts = noCounts()
  const turns: At[] = []
  let floor = Number.POSITIVE_INFINITY
  for (const place of places) {
    if (late()) {
      counts.unexamined += count(place)
      floor = 0
      continue
    }
    const turn = turnOf(place)
    if (typeof turn === 'string') counts[turn]++
    else turns.push(turn)
  }
  return { turns: turns.sort((a, b) => a.floor - b.floor || compare(a, b)), counts, floor }
}

/** What came of one turn: its best, if that may be listed, and what it counts for. */
export interface Looked<Found> extends Partial<Counts> {
  readonly best: Found | null
  /** Others of it that may be listed beside. */
  readonly others?: readonly Found[]
}

export interface Search<At, Found> {
  readonly turns: readonly At[]
  readonly count: (turn: At) => number
  /** `none`: whether nothing is listed yet. Of what scores worse than the limit none is wanted. */
  readonly look: (turn: At, limit: number, none: boolean) => Looked<Found>
  readonly order: Order<Found>
  /** Whether what a turn finds is listed in place of this or not at all: none where it is not known before. */
  readonly replaces?: ((turn: At, listed: Found) => boolean) | null
  readonly top: number
  readonly most: number
  readonly stop: Stop
}

export interface Found<One> {
  readonly list: readonly One[]
  readonly counts: Counts
  readonly floor: number
}

export function bestFirst<At extends Turn, One extends Scored>({
  turns,
  count,
  look,
  order,
  replaces,
  top,
  most,
  stop,
}: Search<At, One>): Found<One> {
  const list: One[] = []
  const counts = noCounts()
  let floor = Number.POSITIVE_INFINITY
  for (const turn of turns) {
    const last = list.length < top ? most : (list.at(-1)?.score ?? 0)
    const limit = Math.min(last, replaces ? (list.find((one) => replaces(turn, one))?.score ?? last) : last)
    if (turn.floor > limit) {
      counts.pruned += count(turn)
      continue
    }
    if (stop()) {
      counts.unexamined += count(turn)
      floor = Math.min(floor, turn.floor)
      continue
    }
    const found = look(turn, limit, list.length === 0)
    addCounts(counts, found)
    if (found.unexamined) floor = Math.min(floor, turn.floor)
    for (const one of [...(found.best ? [found.best] : []), ...(found.others ?? [])]) {
      if (one.score <= most) insert(list, one, top, order)
    }
  }
  return { list, counts, floor }
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
