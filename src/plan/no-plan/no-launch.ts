/** The answer if plans fit, but no assumed framework can launch one. */
import type { Framework } from '../../launch/framework.ts'
import type { NoPlan, Suggestion } from '../answer.ts'

/** `layouts` is how many were refused; `suggestions` are changes with each of which some plan can be launched. */
export function noLaunch(
  assumed: readonly Framework[],
  layouts: number,
  suggestions: readonly Suggestion[],
): NoPlan<never> {
  const detail = `plans fit, but none of ${assumed.join(', ')} can launch one: unlaunchable has the best of them and the reasons`
  return {
    reasons: [{ reason: 'launch', detail, layouts }],
    nearest: null,
    suggestions: [
      ...suggestions,
      {
        change: 'plans that no framework launches',
        pointer: '/assumptions/frameworks',
        value: [],
        detail: 'lists every plan that fits, launchable or not',
      },
    ],
  }
}
