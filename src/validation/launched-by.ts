/** Checks that frameworks can launch a plan, in any mode. */
import type { Framework } from '../launch/framework.ts'
import { ownRefusalOf, unwrittenOf } from '../launch/launch.ts'
import { isBeyondBudget } from '../launch/server/rules.ts'
import type { Findings, Outcome, Remedy } from './check.ts'
import { nearestWhere } from './one-change.ts'

interface Launched {
  readonly summary: string
  readonly launch: Readonly<Record<string, unknown>>
}

export function launchedBy<Found extends Launched>(sameAsBest: (best: Found) => Remedy) {
  return (frameworks: readonly Framework[], findings: Findings<Found>): Outcome | null => {
    if (frameworks.length === 0) return null
    const { plan } = findings.evaluation
    const refusals = (one: Found) =>
      frameworks.flatMap((name) => {
        const reasons = refusal(one.launch[name])
        return reasons === null ? [] : [`${name}: ${reasons.join('; ')}`]
      })
    const found = refusals(plan)
    const ok = found.length === 0
    return {
      ok,
      expected: frameworks.join(', '),
      actual: ok ? 'can be launched' : `not by ${found.length} of ${frameworks.length}`,
      message: ok
        ? [`It can be launched by ${frameworks.join(', ')}.`, ...unwrittenBy(frameworks, plan)].join(' ')
        : found.join('. '),
      ...nearestWhere((one) => refusals(one).length === 0, findings, sameAsBest),
    }
  }
}

/** Why a framework cannot launch the plan; null if it can, or would with more memory, which `fits` asks after. */
function refusal(flags: unknown): readonly string[] | null {
  if (flags === undefined) return ['it is not asked in this mode']
  const reasons = ownRefusalOf(flags)
  return reasons?.every(isBeyondBudget) ? null : reasons
}

function unwrittenBy(frameworks: readonly Framework[], { launch }: Launched): readonly string[] {
  return frameworks.flatMap((name) => {
    const reasons = unwrittenOf(launch[name])
    return reasons.length > 0 ? [`No flags are written for ${name}: ${reasons.join('; ')}.`] : []
  })
}
