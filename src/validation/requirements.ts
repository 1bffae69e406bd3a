/** The requirements on plans of training and of a phase of inference: what may be asked for, and what it says of a plan. */

import { memoryLines } from '../plan/comparison.ts'
import { bytesText, percent, secondsText } from '../plan/explain/figures.ts'
import type { Plan } from '../plan/plan.ts'
import type { Findings, Remedy, RequirementRows } from './check.ts'
import { launchedBy } from './launched-by.ts'
import { nearlyFits } from './nearly-fits.ts'
import { nearestWhere } from './one-change.ts'
import { remedy } from './remedy.ts'
import { sentence } from './sentence.ts'
import { withinOf } from './within-of-best.ts'

const others: RequirementRows<Plan> = {
  minMfu: (least, findings) => {
    const { plan } = findings.evaluation
    const holds = ({ mfu }: Plan) => mfu >= least
    const expected = `at least ${percent(least)}`
    return {
      ok: holds(plan),
      expected,
      actual: percent(plan.mfu),
      message: `The MFU is ${percent(plan.mfu)}, and ${expected} is required; the plan is bound by ${plan.bottleneck}${unreached(holds, findings, ({ mfu }) => `has ${percent(mfu)}`)}.`,
      ...nearest(holds, findings),
    }
  },
  maxStepSeconds: (most, findings) => {
    const { plan } = findings.evaluation
    const holds = ({ stepTimeSeconds }: Plan) => stepTimeSeconds <= most
    const expected = `at most ${secondsText(most)}`
    return {
      ok: holds(plan),
      expected,
      actual: secondsText(plan.stepTimeSeconds),
      message: `A step takes ${secondsText(plan.stepTimeSeconds)}, and ${expected} is required${unreached(holds, findings, ({ stepTimeSeconds }) => `takes ${secondsText(stepTimeSeconds)}`)}.`,
      ...nearest(holds, findings),
    }
  },
  withinOfBest: withinOf(sameAsBest),
  notBoundBy: (refused, findings) => {
    const { plan } = findings.evaluation
    const holds = (one: Plan) => !bounds(one).some((name) => refused.includes(name))
    const actual = bounds(plan).join(': ')
    return {
      ok: holds(plan),
      expected: `not ${refused.join(', ')}`,
      actual,
      message: `The plan is bound by ${actual}, and must not be by ${refused.join(', ')}.`,
      ...nearest(holds, findings),
    }
  },
  launchableBy: launchedBy(sameAsBest),
}

/** Rows are in the order of the report. */
export const requirements: RequirementRows<Plan> = { fits: fitting(nearlyFits), ...others }

/** How far what a server holds is off is measured of its caches alone. */
export const phaseRequirements: RequirementRows<Plan> = { fits: fitting(() => ''), ...others }

/** `nearly` says of a plan that is too large how near that is. */
function fitting(nearly: typeof nearlyFits): NonNullable<RequirementRows<Plan>['fits']> {
  return (asked, { evaluation: { plan, suggestions = [] } }) => {
    if (!asked) return null
    const { budget, total, stage } = plan.memoryBytes
    const short = plan.infeasible?.find(({ reason }) => reason === 'memory')
    const expected = `at most ${bytesText(budget)}`
    const actual = bytesText(total)
    const away = plan.infeasible?.find(({ reason }) => reason === 'hostMemory')
    if (!short && away) {
      const { pointer, detail, shortBytes = 0 } = away
      const { host } = plan.memoryBytes
      const room = {
        expected: `at most ${bytesText(host - shortBytes)} on the host`,
        actual: bytesText(host),
      }
      return { ok: false, pointer, ...room, message: `${detail}.`, nearest: suggestions.map(remedy) }
    }
    if (!short) {
      const message = `The fullest chip needs ${actual} of ${bytesText(budget)}: ${bytesText(Math.max(0, budget - total))} are left.`
      return { ok: true, pointer: '/memoryBudget', expected, actual, message }
    }
    const [line, bytes] = largestLine(plan)
    const onHost = away ? ` ${away.detail}.` : ''
    const message =
      total <= budget
        ? sentence(short.detail)
        : `Stage ${stage} needs ${actual} per chip of ${bytesText(budget)}, ${bytesText(total - budget)} too many; the most, ${bytesText(bytes)}, are ${line}.${onHost}${nearly(total, budget)}`
    return { ok: false, pointer: short.pointer, expected, actual, message, nearest: suggestions.map(remedy) }
  }
}

function nearest(holds: (plan: Plan) => boolean, findings: Findings<Plan>) {
  return nearestWhere(holds, findings, sameAsBest)
}

/** What the fastest plan has, where it does not hold either. */
function unreached(
  holds: (plan: Plan) => boolean,
  { evaluation, fastest, exact }: Findings<Plan>,
  has: (fastest: Plan) => string,
): string {
  if (!fastest || holds(fastest) || holds(evaluation.plan)) return ''
  return `; ${exact ? 'no plan is that good: the fastest' : 'the fastest that was found in time'} ${has(fastest)}`
}

function bounds({ bottleneck, bottleneckDetail }: Plan): readonly string[] {
  return bottleneckDetail ? [bottleneck, bottleneckDetail.network] : [bottleneck]
}

function largestLine({ memoryBytes }: Plan): readonly [string, number] {
  const [name] = [...memoryLines].sort((a, b) => memoryBytes[b] - memoryBytes[a])
  return [name ?? 'parameters', memoryBytes[name ?? 'parameters']]
}

/** The mesh is enough: the search chose what such a plan leaves out. */
function sameAsBest({ mesh, summary }: Plan): Remedy {
  return { detail: `the best plan: ${summary}`, changes: [{ pointer: '/plan', value: { mesh } }] }
}
