/** How a search went, in what it counts: layouts in training, meshes in inference. All that there is adds up. */

/** Why something is not evaluated that is not proven worse either. */
export type Reason = 'memory' | 'divisibility' | 'topology' | 'constraint'

/** Counted up while a search goes on. */
export interface Counts extends Record<Reason, number> {
  /** Proven no better than what is found. */
  pruned: number
  evaluated: number
  /** Not looked at, or not to the end, as the search was told to stop. */
  unexamined: number
}

export interface Tally {
  readonly enumerated: number
  readonly pruned: number
  readonly evaluated: number
  readonly infeasible: Readonly<Record<Reason, number>>
  readonly unexamined: number
  /** Nothing that was not looked at scores lower: Infinity where all was. */
  readonly floor: number
}

export function noCounts(): Counts {
  return { pruned: 0, evaluated: 0, unexamined: 0, memory: 0, divisibility: 0, topology: 0, constraint: 0 }
}

export function tallyOf(counts: Counts, floor: number): Tally {
  const { pruned, evaluated, unexamined, ...infeasible } = counts
  const { memory, divisibility, topology, constraint } = infeasible
  const enumerated = pruned + evaluated + memory + divisibility + topology + constraint + unexamined
  return { enumerated, pruned, evaluated, infeasible, unexamined, floor }
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
    floor: Math.min(...tallies.map(({ floor }) => floor)),
  }
}
