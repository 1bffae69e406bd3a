/**
 * Is a written plan good enough to be launched? What the rules, the memory and the requirements of whoever asks say of it, check
 * by check: each with what was expected, what is, and the nearest that would do.
 */

import type { EvaluateAnswer, IllegalPlan, OptimizeAnswer, SearchAccount } from './plan/answer.ts'
import type { InferenceAnswer, InferenceEvaluation } from './plan/inference-plan.ts'
import type { Plan } from './plan/plan.ts'
import { type PlanFault, wayText } from './rules/part-rule.ts'
import { axes, type Mesh } from './sharding/axis.ts'
import type { Check, Findings, Ranking, Requirements } from './validation/check.ts'
import { requirements } from './validation/requirements.ts'

export interface Validation extends Omit<EvaluateAnswer, 'plan' | 'suggestions'> {
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** Null where the plan is illegal: it has no numbers. */
  readonly plan: Plan | null
  /** The first that the search lists under the request's constraints; null where there is none. */
  readonly best: Plan | null
  /** How the search for it went. */
  readonly search: SearchAccount
}

/** The plan that is checked. */
export interface Subject {
  readonly mesh: Mesh
  readonly ranking: Ranking
}

export function validate(
  subject: Subject,
  asked: Requirements,
  verdict: EvaluateAnswer | InferenceEvaluation | IllegalPlan,
  found: OptimizeAnswer | InferenceAnswer,
): Validation {
  const { search, model, hardware, precision, assumptions } = found
  const [best = null] = found.plans
  const resolved = { best, search, model, hardware, precision, assumptions }
  if ('illegal' in verdict) {
    const checks = verdict.illegal.map((fault) => illegal(fault, subject))
    return { ok: false, checks, plan: null, ...resolved, warnings: found.warnings }
  }
  const { plan, warnings } = verdict
  const checks = [
    legal,
    ...required(
      { fits: true, ...asked },
      {
        ...{ evaluation: verdict, best, exact: search.exact, ranking: subject.ranking },
        runs: plan.feasible || asked.fits === false,
      },
    ),
    ...late(verdict),
  ]
  return { ok: checks.every(({ ok }) => ok), checks, plan, ...resolved, warnings }
}

const legal: Check = {
  name: 'legal',
  ok: true,
  pointer: '/plan',
  expected: 'a plan that can be run',
  actual: 'one that can',
  message: 'No rule is broken.',
}

function illegal({ pointer, detail, nearest: ways = [] }: PlanFault, { mesh }: Subject): Check {
  const axis = axes.find((name) => pointer === `/plan/mesh/${name}`)
  const nearest = ways.map((changes) => ({ detail: wayText(changes), changes }))
  return {
    name: 'legal',
    ok: false,
    pointer,
    expected: nearest.length > 0 ? nearest.map((one) => one.detail).join(' or ') : 'a plan that can be run',
    actual: axis ? `${axis} ${mesh[axis]}` : detail,
    message: `${sentence(detail)}.`,
    ...(nearest.length > 0 ? { nearest } : {}),
  }
}

function required(asked: Requirements, findings: Findings): readonly Check[] {
  return Object.entries(requirements).flatMap(([name, row]) => {
    const wanted = asked[name as keyof Requirements]
    if (wanted === undefined) return []
    const outcome = (row as (asked: unknown, findings: Findings) => Omit<Check, 'name' | 'pointer'> | null)(
      wanted,
      findings,
    )
    return outcome ? [{ name, pointer: `/require/${name}`, ...outcome }] : []
  })
}

/** What the workload itself asks for, memory apart. */
function late({ plan }: EvaluateAnswer | InferenceEvaluation): readonly Check[] {
  return (plan.infeasible ?? [])
    .filter(({ reason }) => reason !== 'memory')
    .map(({ reason, pointer, detail }) => ({
      name: reason,
      ok: false,
      pointer,
      expected: 'as the workload asks',
      actual: detail,
      message: `${sentence(detail)}.`,
    }))
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
