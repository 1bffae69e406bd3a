/** What weights, gradients and optimizer states take: memory on every chip, and HBM traffic once a step. */
import { fillableBytes } from '../../../cost/memory/budget.ts'
import type { CostModel } from '../../../cost/model.ts'
import { added, atLeast, gibibytes, milliseconds, type Part, shareOf } from './part.ts'
import type { Share } from './unavoidable.ts'

export function updatePart(shares: readonly Share[], chips: number): Part {
  const { terms, constant, powers } = added(shares.map((share) => shareOf(share, milliseconds / chips)))
  return {
    variables: [{ name: 'update', cost: 1 }],
    rows: [atLeast('update', 'update reads and writes', terms, constant)],
    powers,
    priced: [
      {
        row: 'update reads and writes',
        amount: ({ update = 0 }) => update,
        shares: { hbmBandwidth: 1 },
      },
    ],
  }
}

export function memoryPart(states: readonly Share[], { problem }: CostModel): Part {
  const { cluster, memoryBudget } = problem
  const { terms, constant, powers } = added(states.map((share) => shareOf(share, gibibytes / cluster.chips)))
  const upper = fillableBytes(problem) * gibibytes - constant
  return {
    variables: [],
    rows: [{ name: 'memory', terms, upper }],
    powers,
    priced: [{ row: 'memory', amount: () => -memoryBudget * gibibytes, shares: { memory: 1 } }],
  }
}
