/** What to say where no framework that is assumed can launch what is listed. */
import type { Framework } from '../../launch/framework.ts'
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

function isLaunched(flags: unknown): boolean {
  return flags !== undefined && !(typeof flags === 'object' && flags !== null && 'unsupported' in flags)
}
