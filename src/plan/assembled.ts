/** The plans of a list as far as there is time to write them out: the first in any case. */
import type { Stop } from '../patience.ts'
import { counted } from './explain/figures.ts'

export function assembled<Found, Plan>(
  found: readonly Found[],
  planOf: (found: Found, rank: number) => Plan,
  stop: Stop,
): readonly Plan[] {
  const plans: Plan[] = []
  for (const candidate of found) {
    if (plans.length > 0 && stop()) break
    plans.push(planOf(candidate, plans.length + 1))
  }
  return plans
}

export function unshown(found: number, shown: number): readonly string[] {
  if (shown === found) return []
  return [
    `there was time to write out ${shown} of ${counted(found, 'plan')} that were found; raise timeoutMs`,
  ]
}
