/** Frameworks under which a plan takes longer than the request allows: it is listed by a time that is none of theirs alone. */
import type { Seconds } from '../../units.ts'
import { secondsText } from '../explain/figures.ts'
import type { InferencePlan } from '../inference-plan.ts'

type Launches = InferencePlan['launch']

export function lateTexts({ stepTimeSeconds = {} }: Launches, limit: Seconds | undefined): readonly string[] {
  if (limit === undefined) return []
  return Object.entries(stepTimeSeconds as Readonly<Record<string, Seconds>>)
    .filter(([, seconds]) => seconds > limit * (1 + rounding))
    .map(
      ([name, seconds]) =>
        `${name}: a step takes ${secondsText(seconds)}, over the limit of ${secondsText(limit)}; assumptions.frameworks ["${name}"] finds what it runs within it`,
    )
}

export function withLateNotes(launch: Launches, limit: Seconds | undefined): Launches {
  const late = lateTexts(launch, limit)
  if (late.length === 0) return launch
  const { notes = [] } = launch as { readonly notes?: readonly string[] }
  return { ...launch, notes: [...notes, ...late] }
}

const rounding = 1e-9
