/** What would do for a plan that misses a requirement: one change of it if that is enough, and the best plan. */
import type { Changed } from '../remedied/remedied.ts'
import type { Findings, Ranking, Remedy } from './check.ts'

/** Nothing if the plan holds. A plan that is one change away needs less of whoever wrote it than the best, and comes first. */
export function nearestWhere<Found extends { readonly summary: string }>(
  holds: (plan: Found) => boolean,
  { evaluation: { plan }, best, fastest, oneChange }: Findings<Found>,
  sameAsBest: (best: Found) => Remedy,
): { readonly nearest?: readonly Remedy[] } {
  if (holds(plan)) return {}
  const near = oneChange().filter(({ plan: changed }) => holds(changed))
  // The preferred plan may take longer than the fastest, so that only the fastest holds.
  const same =
    best && holds(best)
      ? [sameAsBest(best)]
      : fastest && holds(fastest)
        ? [{ ...sameAsBest(fastest), detail: `the fastest plan: ${fastest.summary}` }]
        : []
  const nearest = [...near.map(({ remedy }) => remedy), ...same]
  return nearest.length > 0 ? { nearest } : {}
}

/** The remedy that a change is, with what the plan then takes. */
export function reached<Found>(
  { change, text, changes, plan }: Changed<Found>,
  { says, measure, text: figure }: Ranking<Found>,
): Remedy {
  const takes = `${says.charAt(0).toLowerCase()}${says.slice(1)} ${figure(measure(plan))}`
  return { detail: `${[change, text].filter(Boolean).join(': ')}; ${takes}`, changes }
}
