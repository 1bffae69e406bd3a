/**
 * The plan's memory as shares of a chip, rounded down to three decimals. M is the chip's memory, B the budget, P
 * parameters, S workspace, R the reserve for framework and fragmentation:
 *
 *   whole    (B - R) / M                      everything that a server may use
 *   lasting  (B - S - R) / M                  only weights and caches
 *   free     (B - P - S - R) / (M - P - S)    caches, as a fraction of what the rest leaves free
 */
import type { Serving } from './serving.ts'

export interface MemoryShares {
  readonly whole: number
  readonly lasting: number
  readonly free: number
}

export function memoryShares({ memory, setting }: Pick<Serving, 'memory' | 'setting'>): MemoryShares {
  const { budget, parameters, workspace, reserve } = memory
  const all = setting.cluster.chip.hbmBytes
  const passing = workspace + reserve
  return {
    whole: share(budget - reserve, all),
    lasting: share(budget - passing, all),
    free: share(budget - parameters - passing, all - parameters - workspace),
  }
}

function share(part: number, all: number): number {
  // The tolerance keeps a budget of 0.9 of the chip from becoming 0.899.
  return Math.floor((part / all) * 1000 + 1e-9) / 1000
}
