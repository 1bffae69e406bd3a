/** Why meshes and layouts are not among the plans, as training and inference say it alike. */
import type { Constraints } from '../../constraint.ts'
import type { Setting } from '../../problem.ts'
import type { Reason, Tally } from '../../search/tally.ts'
import type { NoPlan, Short } from '../answer.ts'
import { bytesText, counted } from '../explain/figures.ts'
import type { Plan } from '../plan.ts'

const unplaceable = 'meshes whose data, fsdp and pipeline axes do not join the slices'

/** The reasons that something falls under, with what is said of each. */
export function countedReasons(
  counts: Tally['infeasible'],
  says: Readonly<Record<Exclude<Reason, 'topology'>, string>>,
): NoPlan['reasons'] {
  const texts = { ...says, topology: unplaceable }
  return (['memory', 'constraint', 'topology', 'divisibility'] as const)
    .map((reason) => ({ reason, detail: texts[reason], layouts: counts[reason] }))
    .filter(({ layouts }) => layouts > 0)
}

/** `batch` says what of it the axes do not divide. */
export function indivisible(chips: number, batch: string): string {
  return `meshes of ${counted(chips, 'chip')} whose axes do not divide the model's heads or layers, or ${batch}`
}

/** What the assumptions do not search is counted with what constraints exclude. */
export function excluded(what: string, assumed: string, constraints: Constraints): string {
  const byAssumptions = `that the assumptions exclude (${assumed})`
  if (Object.keys(constraints).length === 0) return `${what} ${byAssumptions}`
  return `${what} that the request's constraints exclude, or ${byAssumptions}`
}

/** A plan that does not fit, with the memory that it lacks; 0 where it misses a limit on time. */
export function shortOf<Found extends Plan>(plan: Found | null): Short<Found> | null {
  return plan && { plan, shortBytes: plan.infeasible?.[0]?.shortBytes ?? 0 }
}

export function memoryText(
  { cluster, memoryBudget }: Pick<Setting, 'cluster' | 'memoryBudget'>,
  nearest: Short<Plan> | null,
): string {
  if (!nearest) return `no layout fits into ${bytesText(memoryBudget)} per chip`
  const { plan, shortBytes } = nearest
  const { chips } = cluster
  const each = chips === 1 ? 'the chip' : `each of ${chips} chips`
  return `the layout with the least memory needs ${bytesText(plan.memoryBytes.total)} per chip; the budget is ${bytesText(memoryBudget)}: ${bytesText(shortBytes)} too little on ${each}`
}
