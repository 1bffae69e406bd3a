/** Explains why chips stand idle, that they are paid for, and which plan needs none to be so. */
import type { Setting } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import type { AgainstFirst } from '../certainty/ties.ts'
import type { Plan } from '../plan.ts'
import { counted, percent, secondsText } from './figures.ts'

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

const rounding = 1e-9

interface Beside extends Pick<Plan, 'rank' | 'chips' | 'idleChips' | 'stepTimeSeconds'> {
  readonly againstFirst: AgainstFirst | null
}

/**
 * Says which plan uses all chips and is tied with the first, where the first leaves some idle. `onAll` is the step time of the best that uses all
 * of them, listed or not, as a list of families has no other plan of the first one's; null where plans are not ranked by their steps.
 */
export function wholeBeside(plans: readonly Beside[], onAll: Seconds | null = null): string | null {
  const [first] = plans
  if (!first || first.idleChips === 0) return null
  const whole = plans.find(({ idleChips, againstFirst }) => idleChips === 0 && againstFirst?.tied)
  if (!whole) return null
  const slower = percent(whole.againstFirst?.slowerBy ?? 0)
  const all = first.chips + first.idleChips
  const isSooner = onAll !== null && onAll < whole.stepTimeSeconds * (1 - rounding)
  const sooner = isSooner
    ? `; another that counts as the same as one listed takes ${secondsText(onAll)} on all of them: constraints.chips ${all} or distinct "mesh" lists it`
    : ''
  return `plan 1 leaves ${first.idleChips} of ${all} chips idle; plan ${whole.rank} uses all of them, is predicted to take ${slower} longer, and is tied with it: no measurement tells which is faster${sooner}`
}
