/**
 * A search on all the chips, and then on ever fewer of them with the others idle. Plans on fewer chips are listed only when they score better
 * than every plan on all of them, unless the request says how many chips there may be. Later searches need not find what would not
 * be listed: the last that is listed is their limit, and when the floor of a part is over it, so are those of all parts with fewer chips.
 */

import { satisfies } from '../constraint.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { fewerChips, sizesBetween } from '../hardware/cluster/fewer-chips.ts'
import type { AskedSetting } from '../problem.ts'
import { leastThat } from '../threshold.ts'
import type { Scored } from './listed.ts'
import { nextSize, type Round } from './round.ts'
import type { Tally } from './tally.ts'

export interface Listing<Found extends Scored> extends Tally {
  readonly candidates: readonly Found[]
}

export interface PartSearch<Result> {
  /** Whether so many chips may have anything good enough. */
  readonly hopeful: (chips: number) => boolean
  /** Searches parts; the limit may be lower than when this was made. `none` says whether nothing is listed yet. */
  readonly search: (parts: readonly Cluster[], limit: number, none: boolean) => PartsResult<Result>
}

export interface PartsResult<Result> {
  /** Null when there was nothing to search. */
  readonly found: Result | null
  /** Parts that there was no time to look at. */
  readonly left: readonly Cluster[]
}

export interface Parts<Result> {
  readonly setting: Pick<AskedSetting, 'cluster' | 'constraints' | 'distinct'>
  readonly top: number
  /** The search on all the chips, where all may work. */
  readonly whole: () => Result
  /** The result to start from where they may not. */
  readonly none: Result
  /** Whether plans that leave chips idle are wanted. */
  readonly fewer: boolean
  /** A bound: no plan on a part scores lower. Null when no part with so few chips holds the model. */
  readonly floor: (part: Pick<Cluster, 'chips'>) => number | null
  /** The search for what is better than a limit. */
  readonly within: (limit: number) => PartSearch<Result>
  readonly join: (found: Result, more: Result) => Result
  /** How many parts are searched together. */
  readonly round: Round
}

/** `onAll` is the best that takes all the chips; null when there is none, or none was looked for. */
export function searchParts<Found extends Scored, Result extends Listing<Found>>({
  setting,
  top,
  whole,
  none,
  fewer,
  floor,
  within,
  join,
  round,
}: Parts<Result>): Result & { readonly onAll: Found | null } {
  const { cluster, constraints } = setting
  let found = satisfies(cluster.chips, constraints.chips) ? whole() : none
  const [onAll = null] = found.candidates
  // Leaving chips idle has to be worth it, unless the request says how many may work.
  const worth =
    onAll && constraints.chips === undefined ? onAll.score * (1 - 1e-12) : Number.POSITIVE_INFINITY
  const limitOf = ({ candidates }: Result): number => {
    // There may be fewer families than places in the list: those that need more chips to run are not looked for on fewer.
    const isFull = candidates.length >= (setting.distinct === 'family' ? Math.min(top, 1) : top)
    return Math.min(worth, isFull ? (candidates.at(-1)?.score ?? 0) : Number.POSITIVE_INFINITY)
  }
  if (!fewer) return { ...found, onAll }
  const { hopeful, search } = within(limitOf(found))
  const ever = fewerChips(cluster, hopeful)[Symbol.iterator]()
  const next = (size: number, limit: number): readonly Cluster[] => {
    const parts: Cluster[] = []
    while (parts.length < size) {
      const { value: part, done } = ever.next()
      const least = done ? null : floor(part)
      if (least === null || least > limit) break
      if (satisfies(part.chips, constraints.chips)) parts.push(part)
    }
    return parts
  }
  const sizesLeft = ({ chips }: Cluster): number => {
    // Those that a constraint allows are not counted one by one, as there is no time.
    if (constraints.chips !== undefined) return 1
    const limit = limitOf(found)
    const least = leastThat(chips, (fewer) => (floor({ chips: fewer }) ?? Number.POSITIVE_INFINITY) <= limit)
    return Math.max(1, sizesBetween(cluster, least ?? chips, chips))
  }
  for (let size = round.first; ; ) {
    const limit = limitOf(found)
    const parts = next(size, limit)
    if (parts.length === 0) break
    const more = search(parts, limit, found.candidates.length === 0)
    if (more.found) found = join(found, more.found)
    const [first] = more.left
    if (first) {
      found = {
        ...found,
        ...withUnbegun(found, sizesLeft(first)),
        floor: Math.min(found.floor, floor(first) ?? 0),
      }
      break
    }
    size = nextSize(round, size, limitOf(found) < limit)
  }
  return { ...found, onAll }
}

/** A number of chips of which nothing was listed counts as one layout. */
function withUnbegun({ enumerated, unexamined, unbegun }: Tally, sizes: number): Partial<Tally> {
  return { enumerated: enumerated + sizes, unexamined: unexamined + sizes, unbegun: unbegun + sizes }
}
