/**
 * What the memory-policy programme says of a plan that recomputes: whether its mix is proven the best of its layout, what
 * counts in real numbers would reach, and what one more byte of budget is worth.
 */
import type { Solver } from '../../../solvers/linear-program.ts'
import { offloads } from '../../cost/memory/remat.ts'
import { relaxMemoryPolicy, solveMemoryPolicy } from '../../search/memory-policy/memory-policy.ts'
import type { MemoryPolicyAccount } from '../plan.ts'
import type { Costing } from './costing.ts'

/** The programme's times and the plan's are summed in another order. */
const agreement = 1e-6

/** The whole-number programme takes tens of times as long as its relaxation: only the first plan is proven. */
export function memoryPolicyAccount(
  costing: Costing,
  solver: Solver,
  rank: number,
): MemoryPolicyAccount | null {
  const { candidate, memory, stepTime } = costing
  const { policy, count } = candidate.mix
  const keepsAll = policy === memory.least && count === 0
  // The programme counts layers of policies that keep what they keep on the chip.
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
