/** Counts of how a search went: layouts in training, meshes in inference. They add up to all that there is. */

/** Why something is not evaluated without being proven worse. */
export type Reason = 'memory' | 'divisibility' | 'topology' | 'constraint'

/** Counts that a search adds to while it runs. */
export interface Counts extends Record<Reason, number> {
  /** Proven no better than what is found. */
  pruned: number
  evaluated: number
  /** Not looked at, or not to the end, because the search was told to stop. */
  unexamined: number
}

export interface Tally {
  readonly enumerated: number
  readonly pruned: number
  readonly evaluated: number
  readonly infeasible: Readonly<Record<Reason, number>>
  readonly unexamined: number
  /** Meshes and smaller numbers of chips that were not even listed, which count as one each of those that were not looked at. */
  readonly unbegun: number
  /** A bound: nothing that was not looked at scores lower. Infinity when everything was looked at. */
  readonly floor: number
}

export function noCounts(): Counts {
  return { pruned: 0, evaluated: 0, unexamined: 0, memory: 0, divisibility: 0, topology: 0, constraint: 0 }
}

export function tallyOf(counts: Counts, floor: number, unbegun = 0): Tally {
  const { pruned, evaluated, unexamined, ...infeasible } = counts
  const { memory, divisibility, topology, constraint } = infeasible
  const enumerated = pruned + evaluated + memory + divisibility + topology + constraint + unexamined
  return { enumerated, pruned, evaluated, infeasible, unexamined, unbegun, floor }
}

export function sumOfTallies(tallies: readonly Tally[]): Tally {
  const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0)
  return {
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
    unbegun: sum(({ unbegun }) => unbegun),
    floor: Math.min(...tallies.map(({ floor }) => floor)),
  }
}
