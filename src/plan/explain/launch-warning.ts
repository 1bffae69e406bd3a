/** What to say where no framework that is assumed can launch what is listed. */
import { type Framework, ofKind } from '../../launch/framework.ts'
import type { Plan } from '../plan.ts'

export type Named = 'the plan' | 'the best plan'

export function launchWarning(
  best: Plan | null,
  assumed: readonly Framework[],
  named: Named,
): readonly string[] {
  if (!best || assumed.length === 0 || assumed.some((name) => isLaunched(best.launch[name]))) return []
  const what =
    named === 'the plan'
      ? 'the plan, whatever is chosen of what it leaves open'
      : 'a plan for this request: plans are listed all the same'
  return [`none of ${assumed.join(', ')} can launch ${what}; launch says why`]
}

/** What is assumed to launch plans may be of the other kind alone, and then leaves out nothing. */
export function kindWarning(
  assumed: readonly Framework[],
  able: readonly Framework[],
  does: 'trains' | 'serves',
): readonly string[] {
  if (assumed.length === 0 || ofKind(able, assumed).length > 0) return []
  const none =
    assumed.length === 1
      ? `${assumed[0]} is not what ${does} a model`
      : `none of ${assumed.join(', ')} ${does} a model`
  return [
    `${none}: assumptions.frameworks leaves out nothing here, and plans may be such as nothing launches (those that do: ${able.join(', ')})`,
  ]
}

function isLaunched(flags: unknown): boolean {
  return flags !== undefined && !(typeof flags === 'object' && flags !== null && 'unsupported' in flags)
}
