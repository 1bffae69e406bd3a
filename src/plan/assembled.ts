/** Writes out as many plans of a list as there is time for, and at least the first. */
import { alone, type Crew } from '../crew.ts'
import type { Stop } from '../patience.ts'
import { counted } from './explain/figures.ts'

export function assembled<Found, Plan>(
  found: readonly Found[],
  planOf: (found: Found, rank: number) => Plan,
  stop: Stop,
  crew: Crew = alone,
): readonly Plan[] {
  const plans = crew.all(
    [...found.entries()],
    ([at, candidate]) => (at > 0 && stop() ? null : planOf(candidate, at + 1)),
    { stop, last: true },
  )
  const unwritten = plans.indexOf(null)
  return (unwritten < 0 ? plans : plans.slice(0, unwritten)).filter((plan) => plan !== null)
}

export function unshown(found: number, shown: number): string | null {
  if (shown === found) return null
  return `there was time to write out ${shown} of ${counted(found, 'plan')} that were found; raise timeoutMs`
}
