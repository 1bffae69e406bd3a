/** Explains why chips stand idle, and that they are paid for. */
import type { Setting } from '../../problem.ts'
import type { Plan } from '../plan.ts'
import { counted, secondsText } from './figures.ts'

/** `onAll` is the step time of the best plan that uses all chips; null if there is none. */
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
      ? 'the request limits how many are used'
      : onAll === null
        ? `no plan on all ${all} can be listed`
        : `the best plan on all ${all} takes ${secondsText(onAll)}`
  const idle = `${counted(idleChips, 'chip')} of ${all} ${idleChips === 1 ? 'stays' : 'stay'} idle: ${why}. MFU, tokens per chip and costs count all ${all}.`
  return { ...plan, explanation: [...explanation, idle] }
}
