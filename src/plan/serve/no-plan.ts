/**
 * Why there is no deployment: memory, a limit that no instance meets, two limits that exclude each other, or a rate
 * beyond the pool. Each limit is tested alone, then together. Each suggestion has been tried with everything else as
 * requested, and a deployment exists with it.
 */
import { compact } from '../../compact.ts'
import { satisfies } from '../../constraint.ts'
import type { PhaseMode } from '../../modes/names.ts'
import type { PrefillInstance } from '../../modes/serve/instance.ts'
import type { Sized } from '../../modes/serve/sized.ts'
import type { Stop } from '../../patience.ts'
import type { ServeProblem } from '../../problem.ts'
import type { PlanFault } from '../../rules/part-rule.ts'
import type { NoPlan, Suggestion } from '../answer.ts'
import { counted, secondsText } from '../explain/figures.ts'
import type { InferenceNoPlan, ServeNoPlan, ServePlan } from '../inference-plan.ts'
import { constraintSuggestions } from '../no-plan/constraint-suggestions.ts'
import { pinnedSuggestions } from '../no-plan/pinned-reason.ts'
import { budgetSuggestion } from '../no-plan/resource-suggestions.ts'
import { eased, easierTogether, easings, slowerRate, unlimited } from './easier-requests.ts'
import { shapeText } from './instance-text.ts'
import { type Changed, loosened } from './least-change.ts'
import { poolSuggestion, precisionSuggestions, sharingSuggestion, type Tries } from './suggestions.ts'

export interface NoServe extends Tries {
  /** Once this returns true, `best` finds nothing any more, so that no conclusion may rest on it. */
  readonly stop: Stop
  /** If no deployment can be launched although some would fit: the reasons, with what would help. */
  readonly unlaunched: (suggestions: readonly Suggestion[]) => NoPlan<never> | null
  readonly planOf: (deployment: Sized) => ServePlan | null
  /** Why the whole pool cannot run as one instance with a single prompt or sequence; null if it can. */
  readonly wholePool: (phase: PhaseMode, maxStepSeconds?: number) => InferenceNoPlan | null
  readonly fastestPrefill: () => PrefillInstance | null
  /** Axes that the request pins to sizes that no instance can have. */
  readonly pinned: () => readonly PlanFault[]
}

type Reasons = ServeNoPlan['reasons']

/** Reasons are found before suggestions; suggestions that there is no time to try are left out. */
export function serveNoPlan(none: NoServe): ServeNoPlan {
  const { requests, best, stop } = none
  const anything = best({ ...requests, ...unlimited })
  if (!anything && !stop()) {
    const unfit = nothingFits(none)
    return none.unlaunched(unfit.suggestions) ?? unfit
  }
  const slower = slowerRate(requests, best)
  const told = reasons(none, slower?.value ?? null)
  const untold = stop()
  const lifted = constraintSuggestions(none.problem, (changed) => best(requests, changed) !== null)
  const near = nearest(none, slower)
  return {
    reasons: untold ? [unknownReason] : [...excludedReason(lifted), ...told],
    nearest: near && shown(none, near.deployment),
    suggestions: compact(
      lifted,
      near?.suggestions,
      poolSuggestion(none, near?.highestRate ?? null),
      sharingSuggestion(none),
    ),
  }
}

const unknownReason = {
  reason: 'time',
  detail:
    'no deployment meets all limits, and there was no time to find out which of them prevents it: raise timeoutMs',
  layouts: 0,
}

/** What a deployment misses under constraints is no fault of the pool's where one without them meets it. */
function excludedReason(lifted: readonly Suggestion[]): Reasons {
  if (lifted.length === 0) return []
  const detail = `${lifted.map(({ change }) => change).join(', or ')} a deployment exists that meets all limits`
  return [{ reason: 'constraint', detail, layouts: 0 }]
}

function nothingFits(none: NoServe): ServeNoPlan {
  const { problem, requests, best } = none
  const anyPlan = (changed: ServeProblem) => best(requests, changed) !== null
  const why = none.wholePool('generate') ?? none.wholePool('prefill')
  const elsewhere: Reasons = [
    {
      reason: 'topology',
      detail: 'neither the pool nor any part of it has room for both phases',
      layouts: 0,
    },
  ]
  return {
    reasons: why?.reasons ?? elsewhere,
    nearest: null,
    suggestions: compact(
      poolSuggestion(none, null),
      budgetSuggestion(problem, why?.nearest?.plan ?? null, (memoryBudget) =>
        anyPlan({ ...problem, memoryBudget }),
      ),
      precisionSuggestions(none),
      pinnedSuggestions(problem, none.pinned(), anyPlan),
      constraintSuggestions(problem, anyPlan),
    ),
  }
}

/** A deployment that exists once one limit is relaxed, to the least value found. */
interface Near {
  readonly deployment: Sized
  readonly suggestions: readonly Suggestion[]
  readonly highestRate: number | null
}

function nearest({ requests, best }: NoServe, slower: Changed | null): Near | null {
  const first = loosened(requests.maxFirst, (maxFirst) => best({ ...requests, maxFirst }))
  const perToken = loosened(requests.maxPerToken, (maxPerToken) => best({ ...requests, maxPerToken }))
  const changes = [
    ...eased(easings.rate, slower),
    ...eased(easings.first, first),
    ...eased(easings.perToken, perToken),
  ]
  const suggestions = changes.map(({ change, pointer, value, says, deployment }): Suggestion => {
    return { change, pointer, value, detail: `${says} is met by ${counted(deployment.chips, 'chip')}` }
  })
  const found = perToken ?? first ?? slower
  if (found) return { deployment: found.deployment, suggestions, highestRate: slower?.value ?? null }
  const easier = easierTogether(requests, best)
  if (easier) return { ...easier, highestRate: null }
  const any = best({ ...requests, ...unlimited })
  return any && { deployment: any, suggestions, highestRate: null }
}

function reasons(none: NoServe, highestRate: number | null): Reasons {
  const { problem, requests, best } = none
  const { maxFirst, maxPerToken, rate } = requests
  const lone = [...firstTokenReasons(none), ...tokenReasons(none)]
  if (lone.length > 0) return lone
  if (rate !== null && best({ ...requests, rate: null })) {
    const sustains = highestRate ? `about ${highestRate}` : 'fewer'
    const detail = `${rate} requests a second are more than ${chipsText(problem)} sustain within the objectives: ${sustains}`
    return [{ reason: 'rate', detail, layouts: 0 }]
  }
  const detail = `a first token in ${secondsText(maxFirst)} and a token every ${secondsText(maxPerToken)} are each met by some deployment, but not by the same one`
  return [{ reason: 'latency', detail, layouts: 0 }]
}

/** The most chips that a deployment may take. */
function chipsText({ cluster, constraints }: ServeProblem): string {
  const { chips } = cluster
  const counts = Array.from({ length: chips }, (_, fewer) => chips - fewer)
  const most = counts.find((count) => satisfies(count, constraints.chips)) ?? chips
  if (most === chips) return `the ${chips} chips of the pool`
  return `the ${most} of ${chips} chips that the constraint on chips allows`
}

function firstTokenReasons({ requests, best, fastestPrefill }: NoServe): Reasons {
  const { maxFirst } = requests
  if (!Number.isFinite(maxFirst) || best({ ...requests, ...unlimited, maxFirst })) return []
  const fastest = fastestPrefill()
  if (!fastest) return []
  const { seconds, size } = fastest
  const detail =
    seconds > maxFirst
      ? `the fastest prefill of a prompt takes ${secondsText(seconds)} on ${shapeText(size.cluster)}: alone over the limit of ${secondsText(maxFirst)} for the first token`
      : `the fastest prefill of a prompt takes ${secondsText(seconds)} on ${shapeText(size.cluster)}; with the wait for it no deployment gives a first token in ${secondsText(maxFirst)}`
  return [{ reason: 'latency', detail, layouts: 0 }]
}

function tokenReasons({ requests, best, wholePool }: NoServe): Reasons {
  const { maxPerToken, stepYield } = requests
  if (!Number.isFinite(maxPerToken) || best({ ...requests, ...unlimited, maxPerToken })) return []
  // The pool as one instance has the most HBM and arithmetic that there is, but is not the fastest: its layout says nothing.
  const alone = (wholePool('generate', maxPerToken * stepYield)?.reasons ?? []).filter(
    ({ reason, layouts }) => reason === 'latency' && layouts === 0,
  )
  const several =
    stepYield === 1 ? '' : ` for the ${stepYield.toFixed(2)} tokens that a step gives a sequence`
  if (alone.length > 0) return alone.map((own) => ({ ...own, detail: `${own.detail}${several}` }))
  const least = loosened(maxPerToken, (limit) => best({ ...requests, ...unlimited, maxPerToken: limit }))
  const detail = least
    ? `the least that a deployment was found to take for a token, at any rate, is ${secondsText(least.value)}, over the limit of ${secondsText(maxPerToken)}`
    : `no instance gives a token every ${secondsText(maxPerToken)} beside what it has to prefill`
  return [{ reason: 'latency', detail, layouts: 0 }]
}

function shown({ requests, planOf }: NoServe, deployment: Sized): ServeNoPlan['nearest'] {
  const plan = planOf(deployment)
  if (!plan) return null
  const late = Math.max(
    0,
    plan.timeToFirstTokenSeconds - requests.maxFirst,
    plan.timePerOutputTokenSeconds - requests.maxPerToken,
  )
  const fewer = Math.max(0, (requests.rate ?? 0) - plan.requestsPerSecond)
  return { plan: { ...plan, feasible: false }, shortSeconds: late, shortRequestsPerSecond: fewer }
}
