/** The requirements, a row each: what one asks for, and what it says of a plan. */

import type { Suggestion } from '../plan/answer.ts'
import { bytesText, percent, secondsText } from '../plan/explain/figures.ts'
import type { Plan } from '../plan/plan.ts'
import type { Check, Findings, Remedy, Requirements } from './check.ts'

type Outcome = Omit<Check, 'name' | 'pointer'> & { readonly pointer?: string }

type Row = {
  readonly [Name in keyof Required<Requirements>]: (
    asked: NonNullable<Requirements[Name]>,
    findings: Findings,
  ) => Outcome | null
}

/** In the order in which a report has them. */
export const requirements: Row = {
  fits: (asked, { evaluation: { plan, suggestions = [] } }) => {
    if (!asked) return null
    const { budget, total, stage } = plan.memoryBytes
    const short = plan.infeasible?.find(({ reason }) => reason === 'memory')
    const expected = `at most ${bytesText(budget)}`
    const actual = bytesText(total)
    if (!short) {
      const message = `The fullest chip needs ${actual} of ${bytesText(budget)}: ${bytesText(Math.max(0, budget - total))} are left.`
      return { ok: true, expected, actual, message }
    }
    const [line, bytes] = largestLine(plan)
    const message = `Stage ${stage} needs ${actual} per chip of ${bytesText(budget)}, ${bytesText(total - budget)} too many; the most, ${bytesText(bytes)}, are ${line}.`
    return { ok: false, pointer: short.pointer, expected, actual, message, nearest: suggestions.map(remedy) }
  },
  minMfu: (least, { evaluation: { plan }, best }) => {
    const holds = ({ mfu }: Plan) => mfu >= least
    return {
      ok: holds(plan),
      expected: `at least ${percent(least)}`,
      actual: percent(plan.mfu),
      message: `The MFU is ${percent(plan.mfu)}; it is bound by ${plan.bottleneck}.`,
      ...bestWhere(holds, plan, best),
    }
  },
  maxStepSeconds: (most, { evaluation: { plan }, best }) => {
    const holds = ({ stepTimeSeconds }: Plan) => stepTimeSeconds <= most
    return {
      ok: holds(plan),
      expected: `at most ${secondsText(most)}`,
      actual: secondsText(plan.stepTimeSeconds),
      message: `A step takes ${secondsText(plan.stepTimeSeconds)}.`,
      ...bestWhere(holds, plan, best),
    }
  },
  withinOfBest: (share, { evaluation: { plan }, best, exact, runs, ranking: { says, secondsOf } }) => {
    const expected = `at most ${percent(share)} over the best`
    if (!runs) {
      const message =
        'Not judged: the plan does not fit or is over a limit, so that nothing runs in the time that it would take.'
      return {
        ok: false,
        expected,
        actual: 'not judged',
        message,
        ...(best ? { nearest: [sameAsBest(best)] } : {}),
      }
    }
    if (!best) {
      const none = exact
        ? 'No plan that the constraints allow fits and can be launched: there is none to compare with.'
        : 'The search had to stop before it found any plan: ask with a longer timeoutMs.'
      return { ok: exact, expected, actual: exact ? 'no other' : 'not known', message: none }
    }
    const [seconds, least] = [secondsOf(plan), secondsOf(best)]
    const over = seconds / least - 1
    const ok = over <= share + rounding
    const apart = over >= 0 ? `${percent(over)} over` : `${percent(-over)} under`
    const which = exact ? 'the best' : 'the best so far, as the search had to stop'
    return {
      ok,
      expected,
      actual: apart,
      message: `${says} ${secondsText(seconds)}, ${apart} the ${secondsText(least)} of ${which}: ${best.summary}.`,
      ...(ok ? {} : { nearest: [sameAsBest(best)] }),
    }
  },
  notBoundBy: (refused, { evaluation: { plan }, best }) => {
    const holds = (one: Plan) => !bounds(one).some((name) => refused.includes(name))
    const actual = bounds(plan).join(': ')
    return {
      ok: holds(plan),
      expected: `not ${refused.join(', ')}`,
      actual,
      message: `The plan is bound by ${actual}.`,
      ...bestWhere(holds, plan, best),
    }
  },
  launchableBy: (frameworks, { evaluation: { plan }, best }) => {
    const refusals = (one: Plan) =>
      frameworks.flatMap((name) => {
        const reasons = refusal(one.launch[name])
        return reasons === null ? [] : [`${name}: ${reasons.join('; ')}`]
      })
    const holds = (one: Plan) => refusals(one).length === 0
    const found = refusals(plan)
    return {
      ok: holds(plan),
      expected: frameworks.join(', '),
      actual: holds(plan) ? 'can be launched' : `not by ${found.length} of ${frameworks.length}`,
      message: holds(plan) ? 'It can be launched by each.' : found.join('. '),
      ...bestWhere(holds, plan, best),
    }
  },
}

/** The best plan in place of one that does not do, where it does. */
function bestWhere(
  holds: (plan: Plan) => boolean,
  plan: Plan,
  best: Plan | null,
): { readonly nearest?: readonly Remedy[] } {
  return best && !holds(plan) && holds(best) ? { nearest: [sameAsBest(best)] } : {}
}

function bounds({ bottleneck, bottleneckDetail }: Plan): readonly string[] {
  return bottleneckDetail ? [bottleneck, bottleneckDetail.network] : [bottleneck]
}

/** The same plan in another order of sums. */
const rounding = 1e-9

const lines = [
  'parameters',
  'gradients',
  'optimizer',
  'activations',
  'kvCache',
  'workspace',
  'reserve',
] as const

function largestLine({ memoryBytes }: Plan): readonly [string, number] {
  const [name] = [...lines].sort((a, b) => memoryBytes[b] - memoryBytes[a])
  return [name ?? 'parameters', memoryBytes[name ?? 'parameters']]
}

function remedy({ change, detail, pointer, value, also = [] }: Suggestion): Remedy {
  return { detail: `${change}: ${detail}`, changes: [{ pointer, value }, ...also] }
}

/** Its mesh says it: what a plan leaves out is chosen as the search chose it. */
function sameAsBest({ mesh, summary }: Plan): Remedy {
  return { detail: `the best plan: ${summary}`, changes: [{ pointer: '/plan', value: { mesh } }] }
}

/** Why a framework cannot launch a plan; null where it can. */
function refusal(flags: unknown): readonly string[] | null {
  if (flags === undefined) return ['it is not asked in this mode']
  if (typeof flags !== 'object' || flags === null || !('unsupported' in flags)) return null
  const { unsupported } = flags
  return Array.isArray(unsupported) ? unsupported.map(String) : [String(unsupported)]
}
