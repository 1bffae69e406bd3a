/** Why chips stand idle, and who pays for them. */
import type { Setting } from '../../problem.ts'
import type { Plan } from '../plan.ts'
import { counted, secondsText } from './figures.ts'

/** A plan of a search, which knows the best one of all the chips: null where there is none. */
export function withIdleChips<Listed extends Plan>(
  plan: Listed,
  { constraints }: Setting,
  onAll: number | null,
): Listed {
  const { chips, idleChips, explanation } = plan
  if (idleChips === 0) return plan
  const all = chips + idleChips
  const why =
    constraints.chips !== undefined
      ? 'the request says how many may work'
      : onAll === null
        ? `no plan that takes all ${all} can be listed`
        : `the best plan that takes all ${all} needs ${secondsText(onAll)}`
  const idle = `${counted(idleChips, 'chip')} of ${all} ${idleChips === 1 ? 'stands' : 'stand'} idle: ${why}. MFU, tokens per chip and costs count all ${all}.`
  return { ...plan, explanation: [...explanation, idle] }
}
