/**
 * A search on all the chips, and then on ever fewer of them, the others idle. Of fewer chips only plans are listed that score better
 * than every plan of all of them, unless the request says how many chips there may be. Later searches need not find what would not
 * be listed: the last that is listed is their limit, and where the floor of a part is over it, so is that of all with fewer chips.
 */

import type { Cluster } from '../hardware/cluster/cluster.ts'
import { fewerChips } from '../hardware/cluster/fewer-chips.ts'
import { type Setting, satisfies } from '../problem.ts'
import type { Scored } from './listed.ts'
import { nextSize, type Round } from './round.ts'
import type { Tally } from './tally.ts'

export interface Listing<Found extends Scored> extends Tally {
  readonly candidates: readonly Found[]
}

export interface PartSearch<Result> {
  /** Whether anything may be of so many chips. */
  readonly hopeful: (chips: number) => boolean
  /** The limit has fallen since, or is the same. `none`: whether nothing is listed yet. */
  readonly search: (parts: readonly Cluster[], limit: number, none: boolean) => PartsResult<Result>
}

export interface PartsResult<Result> {
  /** Null where there is nothing to search. */
  readonly found: Result | null
  /** What there was no time to look at. */
  readonly left: readonly Cluster[]
}

export interface Parts<Result> {
  readonly setting: Pick<Setting, 'cluster' | 'constraints' | 'distinct'>
  readonly top: number
  /** Of all the chips, where they may all work. */
  readonly whole: () => Result
  /** Where they may not. */
  readonly none: Result
  /** Whether plans that leave chips idle are wanted. */
  readonly fewer: boolean
  /** No plan on a part scores lower; null where no part with so few chips holds the model. */
  readonly floor: (part: Cluster) => number | null
  /** What is better than a limit. */
  readonly within: (limit: number) => PartSearch<Result>
  readonly join: (found: Result, more: Result) => Result
  /** How many are searched together. */
  readonly round: Round
}

/** `onAll`: the best that takes all the chips, null where there is none, or none was looked for. */
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
}: Parts<Result & Listing<Found>>): Result & Listing<Found> & { readonly onAll: Found | null } {
  const { cluster, constraints } = setting
  let found = satisfies(cluster.chips, constraints.chips) ? whole() : none
  const [onAll = null] = found.candidates
  // Idle chips have to be worth it, unless the request says how many may be.
  const worth =
    onAll && constraints.chips === undefined ? onAll.score * (1 - 1e-12) : Number.POSITIVE_INFINITY
  const limitOf = ({ candidates }: Result): number => {
    // There may be fewer families than places: those that take more chips to run are not looked for on fewer.
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
  for (let size = round.first; ; ) {
    const limit = limitOf(found)
    const parts = next(size, limit)
    if (parts.length === 0) break
    const more = search(parts, limit, found.candidates.length === 0)
    if (more.found) found = join(found, more.found)
    const [first] = more.left
    if (first) {
      const { enumerated, unexamined } = found
      const counted = { enumerated: enumerated + 1, unexamined: unexamined + 1 }
      found = { ...found, ...counted, floor: Math.min(found.floor, floor(first) ?? 0) }
      break
    }
    size = nextSize(round, size, limitOf(found) < limit)
  }
  return { ...found, onAll }
}
