/** What a search of training found and how it went, and how the results of several are joined. */
import type { Distinct } from '../problem.ts'
import { type Mesh, meshKey } from '../sharding/axis.ts'
import { keyOf } from './distinct.ts'
import type { Candidate, Misfit } from './layouts/candidate.ts'
import { insert, type Order, type Scored } from './listed.ts'
import type { Listing } from './parts.ts'
import { noCounts, sumOfTallies, tallyOf } from './tally.ts'

export interface SearchResult extends Listing<Candidate> {
  /** The layout nearest to fitting, when nothing fits. */
  readonly nearest: Misfit | null
}

export const nothingSearched: SearchResult = {
  ...{ candidates: [], nearest: null },
  ...tallyOf(noCounts(), Number.POSITIVE_INFINITY),
}

/** A candidate, and the index of its space among those that are searched together. */
export interface Listed extends Scored {
  readonly candidate: Candidate
  readonly space: number
}

/** Orders candidates by score; of those that count as the same the best is listed, whichever space has it. */
export function byScore(distinct: Distinct): Order<Listed> {
  const key = keyOf(distinct)
  return {
    same: (a, b) => key(a.candidate) === key(b.candidate),
    comes: (a, b) => {
      if (a.score !== b.score) return a.score < b.score
      return (compareKeys(a.candidate.mesh, b.candidate.mesh) || a.space - b.space) < 0
    },
  }
}

export function compareKeys(a: Mesh, b: Mesh): number {
  const [left, right] = [meshKey(a), meshKey(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Joins the lists of searches on different numbers of chips. */
export function merged(results: readonly SearchResult[], top: number, distinct: Distinct): SearchResult {
  const order = byScore(distinct)
  const list: Listed[] = []
  for (const [space, { candidates }] of results.entries()) {
    for (const candidate of candidates) insert(list, { score: candidate.score, candidate, space }, top, order)
  }
  return {
    ...sumOfTallies(results),
    candidates: list.map(({ candidate }) => candidate),
    nearest: results
      .flatMap(({ nearest }) => nearest ?? [])
      .reduce<Misfit | null>(
        (least, one) => (least && least.shortBytes <= one.shortBytes ? least : one),
        null,
      ),
  }
}
