/**
 * Checks whether a written plan is good enough to be launched: what the rules, the memory and the caller's
 * requirements say of it, check by check, each with what was expected, what was found, and the nearest change that
 * would do.
 */
import { compact } from './compact.ts'
import type { EvaluateAnswer, IllegalPlan, Resolved, SearchAccount, SearchAnswer } from './plan/answer.ts'
import { type Preferred, preferredPlan } from './plan/certainty/preferred.ts'
import { type AgainstFirst, againstFirst, type Comparing } from './plan/certainty/ties.ts'
import { memoryReasons } from './plan/outline.ts'
import type { Infeasibility, Plan } from './plan/plan.ts'
import { cutText } from './plan/search-account.ts'
import { type PlanFault, wayText } from './rules/part-rule.ts'
import type { Check, Findings, Ranking, RequirementRows, Requirements } from './validation/check.ts'
import { remedy } from './validation/remedy.ts'
import { sentence } from './validation/sentence.ts'

export interface Validation<Found = Plan> extends Resolved {
  readonly ok: boolean
  readonly checks: readonly Check[]
  /** Null when the plan is illegal, and so has no numbers. */
  readonly plan: Found | null
  /** The preferred one of the plans that are tied with the first of those that the search lists under the request's constraints; null when it lists none. */
  readonly best: Found | null
  /** Why that is the best; null if fewer than two plans are listed, or nothing is known of ties. */
  readonly preferred: Preferred | null
  /** How the search for `best` went. */
  readonly search: SearchAccount
  readonly warnings: readonly string[]
}

/** What the plans of a mode are checked against. */
export interface Subject<Found> {
  readonly rows: RequirementRows<Found>
  readonly ranking: Ranking<Found>
  readonly comparing: Comparing<Found> | undefined
  /** What is assumed of the best plan, as the warnings of a list speak of its plans by their numbers. */
  readonly told: (best: Found | null) => readonly string[]
  /** The axis that a pointer names, and its size; null when it names none. */
  readonly sizeAt: (pointer: string) => { readonly axis: string; readonly size: number } | null
}

interface Checked {
  readonly rank: number
  readonly againstFirst: AgainstFirst | null
  readonly feasible: boolean
  readonly infeasible?: readonly Infeasibility[]
}

type Ranked<Found> = Pick<SearchAnswer<Found, never>, 'plans' | 'preferred' | 'search'> & Resolved

export function validate<Found extends Checked>(
  subject: Subject<Found>,
  asked: Requirements,
  verdict: EvaluateAnswer<Found> | IllegalPlan,
  found: Ranked<Found>,
  oneChange: Findings<Found>['oneChange'],
): Validation<Found> {
  const { preferred, search, model, hardware, precision, assumptions } = found
  const [fastest = null] = found.plans
  const best = preferredPlan(found)
  const resolved = { best, preferred, search, model, hardware, precision, assumptions }
  const stopped = best && cutText(search)
  if ('illegal' in verdict) {
    const checks = verdict.illegal.map((fault) => illegal(fault, subject))
    return { ok: false, checks, plan: null, ...resolved, warnings: compact(subject.told(best), stopped) }
  }
  const { warnings } = verdict
  const plan = beside(verdict.plan, fastest, subject)
  const checks = [
    legal,
    ...required(
      subject.rows,
      { fits: true, ...asked },
      {
        ...{ evaluation: { ...verdict, plan }, best, fastest, exact: search.exact, ranking: subject.ranking },
        ...{ runs: plan.feasible || asked.fits === false, oneChange },
      },
    ),
    ...late(verdict),
  ]
  return { ok: checks.every(({ ok }) => ok), checks, plan, ...resolved, warnings: compact(warnings, stopped) }
}

/** The plan with how it compares with the fastest, if it runs. */
function beside<Found extends Checked>(
  plan: Found,
  fastest: Found | null,
  { comparing }: Subject<Found>,
): Found {
  if (!fastest || !comparing || !plan.feasible) return plan
  return { ...plan, againstFirst: againstFirst(plan, fastest, comparing) }
}

const legal: Check = {
  name: 'legal',
  ok: true,
  pointer: '/plan',
  expected: 'a plan that can be run',
  actual: 'one that can',
  message: 'No rule is broken.',
}

function illegal(
  { pointer, detail, nearest: ways = [] }: PlanFault,
  { sizeAt }: Pick<Subject<unknown>, 'sizeAt'>,
): Check {
  const at = sizeAt(pointer)
  const nearest = ways.map((changes) => ({ detail: wayText(changes), changes }))
  return {
    name: 'legal',
    ok: false,
    pointer,
    expected: nearest.length > 0 ? nearest.map((one) => one.detail).join(' or ') : 'a plan that can be run',
    actual: at ? `${at.axis} ${at.size}` : detail,
    message: sentence(detail),
    ...(nearest.length > 0 ? { nearest } : {}),
  }
}

function required<Found>(
  rows: RequirementRows<Found>,
  asked: Requirements,
  findings: Findings<Found>,
): readonly Check[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const wanted = asked[name as keyof Requirements]
    if (wanted === undefined) return []
    const outcome = (
      row as (asked: unknown, findings: Findings<Found>) => Omit<Check, 'name' | 'pointer'> | null
    )(wanted, findings)
    return outcome ? [{ name, pointer: `/require/${name}`, ...outcome }] : []
  })
}

/** Checks of what the workload itself asks for, other than memory: its rate and its limits on time. */
function late<Found extends Checked>({
  plan: { infeasible = [] },
  suggestions = [],
}: EvaluateAnswer<Found>): readonly Check[] {
  const nearest = suggestions.length > 0 ? { nearest: suggestions.map(remedy) } : {}
  return infeasible
    .filter(({ reason }) => !memoryReasons.includes(reason))
    .map(({ reason, pointer, detail }) => ({
      name: reason,
      ok: false,
      pointer,
      expected: 'as the workload asks',
      actual: detail,
      message: sentence(detail),
      ...nearest,
    }))
}
