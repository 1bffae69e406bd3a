/** Where plans fit and no framework that is assumed can launch one: what stands in the way, each suggestion tried alone. */
import type { Framework } from '../../launch/framework.ts'
import type { Setting } from '../../problem.ts'
import type { NoPlan, Suggestion } from '../plan.ts'

/** `launches` says whether a changed problem has a plan that can be launched. */
export function noLaunch<Asked extends Setting>(
  problem: Asked,
  assumed: readonly Framework[],
  layouts: number,
  launches: (changed: Asked) => boolean,
): NoPlan & { readonly nearest: null } {
  const detail = `plans fit, and none of ${assumed.join(', ')} can launch one: unlaunchable has the best, and why not`
  return {
    reasons: [{ reason: 'launch', detail, layouts }],
    nearest: null,
    suggestions: [
      {
        change: 'plans that no framework launches',
        pointer: '/assumptions/frameworks',
        value: [],
        detail: 'all that fits is listed',
      },
      ...constraintSuggestions(problem, launches),
    ],
  }
}

function constraintSuggestions<Asked extends Setting>(
  problem: Asked,
  launches: (changed: Asked) => boolean,
): readonly Suggestion[] {
  return Object.keys(problem.constraints).flatMap((name) => {
    const { [name as keyof Setting['constraints']]: _dropped, ...constraints } = problem.constraints
    if (!launches({ ...problem, constraints })) return []
    return [
      {
        change: `without the constraint on ${name}`,
        pointer: `/constraints/${name}`,
        value: null,
        detail: 'the other constraints may stay as they are',
      },
    ]
  })
}
