/** Puts axes that the request pins to impossible sizes before other reasons, as they rule out every plan. */
import type { Setting } from '../../problem.ts'
import type { MeshQuestion, MeshRule } from '../../rules/mesh-question.ts'
import { type PlanFault, wayText } from '../../rules/part-rule.ts'
import { pinnedFaults } from '../../rules/pinned.ts'
import type { NoPlan, Suggestion } from '../answer.ts'
import { counted } from '../explain/figures.ts'

type Reasons = NoPlan['reasons']

/** Such axes; `searched` says whether the assumptions have the search size the second tensor axis. */
export function pinnedAxes(
  { cluster, constraints }: Setting,
  rules: readonly MeshRule[],
  question: MeshQuestion,
  searched: boolean,
): readonly PlanFault[] {
  const open = searched && constraints.tensor2 === undefined ? (['tensor2'] as const) : []
  return pinnedFaults(rules, question, constraints, cluster.chips, open)
}

/** Reasons stay as they are if no axis is pinned so. */
export function withPinned(reasons: Reasons, faults: readonly PlanFault[], chips: number): Reasons {
  if (faults.length === 0) return reasons
  const own = 'divisibility'
  const says = [...new Set(faults.map(({ pointer, detail }) => `${pointer}: ${detail}`))].join('; ')
  const layouts = reasons.find(({ reason }) => reason === own)?.layouts ?? 0
  const detail = `${says}. No mesh of ${counted(chips, 'chip')} can have the pinned axes`
  return [{ reason: own, detail, layouts }, ...reasons.filter(({ reason }) => reason !== own)]
}

/** Suggests legal sizes next to an impossible pinned one, if a plan exists with them; each is suggested once, even if several faults offer it. */
export function pinnedSuggestions<Asked extends Pick<Setting, 'constraints'>>(
  asked: Asked,
  faults: readonly PlanFault[],
  anyPlan: (changed: Asked) => boolean,
): readonly Suggestion[] {
  const changes = faults.flatMap(({ detail, nearest = [] }) =>
    nearest.flat().map((change) => [wayText([change]), { ...change, detail }] as const),
  )
  return [...new Map([...changes].reverse())].reverse().flatMap(([change, { pointer, value, detail }]) => {
    const axis = pointer.replace('/constraints/', '')
    const constraints = { ...asked.constraints, [axis]: value }
    return anyPlan({ ...asked, constraints }) ? [{ change, pointer, value, detail }] : []
  })
}
