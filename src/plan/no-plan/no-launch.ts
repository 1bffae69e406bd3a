/** The answer if plans fit, but no assumed framework can launch one; each suggestion is tried alone. */
import type { Framework } from '../../launch/framework.ts'
import type { Setting } from '../../problem.ts'
import type { NoPlan } from '../answer.ts'
import { constraintSuggestions } from './constraint-suggestions.ts'

/** `launches` says whether a changed problem has a plan that can be launched; `layouts` is how many were refused. */
export function noLaunch<Asked extends Setting>(
  problem: Asked,
  assumed: readonly Framework[],
  layouts: number,
  launches: (changed: Asked) => boolean,
): NoPlan<never> {
  const detail = `plans fit, but none of ${assumed.join(', ')} can launch one: unlaunchable has the best of them and the reasons`
  return {
    reasons: [{ reason: 'launch', detail, layouts }],
    nearest: null,
    suggestions: [
      {
        change: 'plans that no framework launches',
        pointer: '/assumptions/frameworks',
        value: [],
        detail: 'lists every plan that fits, launchable or not',
      },
      ...constraintSuggestions(problem, launches),
    ],
  }
}
