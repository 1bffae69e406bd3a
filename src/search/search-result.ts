/** What a search found and how it went, and the results of several as one. */
import type { Candidate, Misfit } from './candidate.ts'
import { insert, type Listed } from './listed.ts'

export interface SearchResult {
  readonly candidates: readonly Candidate[]
  /** The best of what is not accepted, where that is better than all that is: null where it was not asked for. */
  readonly refused: Candidate | null
  /** What was not looked at for that. */
  readonly unsought: number
  /** The leanest layout, where nothing fits. */
  readonly nearest: Misfit | null
  readonly enumerated: number
  readonly pruned: number
  readonly evaluated: number
  readonly infeasible: { memory: number; divisibility: number; topology: number; constraint: number }
  /** Not looked at, as the search was told to stop. */
  readonly unexamined: number
  /** No layout that was not looked at scores lower: Infinity where all were. */
  readonly floor: number
}

export const nothingSearched: SearchResult = {
  ...{ candidates: [], refused: null, unsought: 0, nearest: null, enumerated: 0, pruned: 0, evaluated: 0 },
  infeasible: { memory: 0, divisibility: 0, topology: 0, constraint: 0 },
  ...{ unexamined: 0, floor: Number.POSITIVE_INFINITY },
}

/** The lists of searches of different numbers of chips as one. */
export function merged(results: readonly SearchResult[], top: number): SearchResult {
  const candidates: Listed[] = []
  for (const [space, result] of results.entries()) {
    for (const candidate of result.candidates) insert(candidates, { candidate, space }, top)
  }
  const sum = (count: (result: SearchResult) => number) =>
    results.reduce((total, result) => total + count(result), 0)
  return {
    candidates: candidates.map(({ candidate }) => candidate),
    refused: leastRefused(results),
    unsought: sum(({ unsought }) => unsought),
    nearest: results
      .flatMap(({ nearest }) => nearest ?? [])
      .reduce<Misfit | null>(
        (least, one) => (least && least.shortBytes <= one.shortBytes ? least : one),
        null,
      ),
    enumerated: sum(({ enumerated }) => enumerated),
    pruned: sum(({ pruned }) => pruned),
    evaluated: sum(({ evaluated }) => evaluated),
    infeasible: {
      memory: sum(({ infeasible }) => infeasible.memory),
      divisibility: sum(({ infeasible }) => infeasible.divisibility),
      topology: sum(({ infeasible }) => infeasible.topology),
      constraint: sum(({ infeasible }) => infeasible.constraint),
    },
    unexamined: sum(({ unexamined }) => unexamined),
    floor: Math.min(...results.map(({ floor }) => floor)),
  }
}

/** Better than all that is accepted by any of the searches. */
function leastRefused(results: readonly SearchResult[]): Candidate | null {
  const accepted = Math.min(
    ...results.map(({ candidates: [first] }) => first?.score ?? Number.POSITIVE_INFINITY),
  )
  const better = results.flatMap(({ refused }) => (refused && refused.score < accepted ? [refused] : []))
  return better.reduce<Candidate | null>(
    (least, one) => (least && least.score <= one.score ? least : one),
    null,
  )
}
