/** Suggests to drop a constraint of the request, if a plan exists without that one. */
import type { Constraints } from '../../constraint.ts'
import type { Suggestion } from '../answer.ts'

/** Tries `names`, or all constraints; `anyPlan` says whether a changed question would have a plan. */
export function constraintSuggestions<Asked extends { readonly constraints: Constraints }>(
  asked: Asked,
  anyPlan: (changed: Asked) => boolean,
  names: readonly string[] = Object.keys(asked.constraints),
): readonly Suggestion[] {
  return names.flatMap((name) => {
    const { [name as keyof Constraints]: _dropped, ...constraints } = asked.constraints
    if (!anyPlan({ ...asked, constraints })) return []
    return [
      {
        change: `without the constraint on ${name}`,
        pointer: `/constraints/${name}`,
        value: null,
        detail: 'the other constraints can stay',
      },
    ]
  })
}
