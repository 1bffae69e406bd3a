/** Says what the first plan has that no measured run had, and which plan near it stays within what was run. */
import type { Beyond, Divided } from '../certainty/measured-range.ts'
import type { AgainstFirst } from '../certainty/ties.ts'
import { percent } from './figures.ts'

interface Beside extends Divided {
  readonly rank: number
  readonly againstFirst: AgainstFirst | null
}

export function beyondRunsText(
  plans: readonly Beside[],
  beyond: ((divided: Divided) => Beyond) | null,
): string | null {
  const [first] = plans
  if (!first || !beyond) return null
  const { says } = beyond(first)
  if (says.length === 0) return null
  const within = plans.find((plan) => beyond(plan).octaves === 0)
  const nearest = within
    ? `plan ${within.rank} stays within measured runs and is predicted to take ${percent(within.againstFirst?.slowerBy ?? 0)} longer`
    : 'no plan near it stays within measured runs'
  return `plan 1 goes beyond all measured runs: ${says.join('; ')}; ${nearest}`
}
