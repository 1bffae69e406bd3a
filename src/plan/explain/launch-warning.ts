/** Warnings if no assumed framework can launch the listed plans. */
import { type Framework, ofKind } from '../../launch/framework.ts'
import { isLaunched, mayLaunch, unwrittenOf } from '../../launch/launch.ts'
import { lacksMemoryAlone } from '../../launch/server/rules.ts'
import type { Plan } from '../plan.ts'

export type Named = 'the plan' | 'the best plan'

export function launchWarning(best: Plan | null, assumed: readonly Framework[], named: Named): string | null {
  if (!best || assumed.length === 0 || assumed.some((name) => isLaunched(best.launch[name]))) return null
  const but = assumed.filter((name) => lacksMemoryAlone(best.launch[name]))
  if (but.length > 0) {
    return `${named} does not fit into its memory budget, which is the only reason why ${but.join(', ')} cannot launch it`
  }
  const unwritten = assumed.filter((name) => mayLaunch(best.launch[name]))
  if (unwritten.length > 0) {
    const missing = unwritten.map((name) => `${name}: ${unwrittenOf(best.launch[name]).join('; ')}`)
    return `no flags are written for ${named}, though ${unwritten.join(', ')} may run it (${missing.join(' | ')})`
  }
  const what =
    named === 'the plan'
      ? 'the plan, whatever is chosen for the fields that it leaves out'
      : 'a plan for this request; plans are listed nevertheless'
  const [only, ...others] = assumed
  const who = others.length === 0 ? `${only} cannot` : `none of ${assumed.join(', ')} can`
  return `${who} launch ${what}; launch says why`
}

/** If no assumed framework is of the kind (training or serving) or for the chips that the question needs, the list is not filtered. */
export function kindWarning(
  assumed: readonly Framework[],
  able: readonly Framework[],
  does: string,
): string | null {
  if (assumed.length === 0 || ofKind(able, assumed).length > 0) return null
  const none =
    assumed.length === 1 ? `${assumed[0]} is not what ${does}` : `none of ${assumed.join(', ')} ${does}`
  return `${none}: assumptions.frameworks excludes no plan here, and the listed plans may be ones that no framework launches (frameworks for this are ${able.join(', ')})`
}
