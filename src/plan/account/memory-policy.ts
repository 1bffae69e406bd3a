/**
 * What the memory-policy programme says of a plan that recomputes: whether its mix of policies is proven optimal for
 * its layout, what fractional numbers of layers would reach, and what one more byte of budget is worth.
 */
import type { Solver } from '../../../solvers/linear-program.ts'
import { offloads } from '../../cost/memory/remat.ts'
import { relaxMemoryPolicy, solveMemoryPolicy } from '../../search/memory-policy/memory-policy.ts'
import type { MemoryPolicyAccount } from '../plan.ts'
import type { Costing } from './costing.ts'

/** Relative tolerance, as the programme and the plan add their times in different orders. */
const agreement = 1e-6

/**
 * Null if nothing is recomputed or arrays go to the host. Only the first plan is proven, because the integer programme
 * takes tens of times as long as its relaxation.
 */
export function memoryPolicyAccount(
  costing: Costing,
  solver: Solver,
  rank: number,
): MemoryPolicyAccount | null {
  const { candidate, memory, stepTime } = costing
  const { policy, count } = candidate.mix
  const keepsAll = policy === memory.least && count === 0
  // The programme knows only policies that keep arrays on the chip.
  if (keepsAll || offloads(memory, policy)) return null
  const relaxed = relaxMemoryPolicy(costing, solver)
  if (relaxed.status !== 'optimal') return null
  const whole = rank === 1 ? solveMemoryPolicy(costing, solver) : null
  return {
    provenBest: whole?.status === 'optimal' ? stepTime <= whole.stepTimeSeconds * (1 + agreement) : null,
    relaxedStepTimeSeconds: relaxed.stepTimeSeconds,
    secondsPerByte: relaxed.secondsPerByte,
  }
}
