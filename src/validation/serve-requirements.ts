/** The requirements on a deployment. Rate and latencies that its workload asks for are checked in any case. */
import type { Framework } from '../launch/framework.ts'
import { bytesText, secondsText, threeFigures } from '../plan/explain/figures.ts'
import type { ServePlan } from '../plan/inference-plan.ts'
import type { ServeProblem } from '../problem.ts'
import type { Findings, Outcome, Ranking, Remedy, RequirementRows } from './check.ts'
import { launchedBy } from './launched-by.ts'
import { remedy } from './remedy.ts'
import { sentence } from './sentence.ts'
import { withinOf } from './within-of-best.ts'

export const serveRequirements: RequirementRows<ServePlan> = {
  fits: (asked, { evaluation: { plan, suggestions = [] } }) => {
    if (!asked) return null
    const { budget, total } = plan.generate.memoryBytes
    const expected = `at most ${bytesText(budget)}`
    const short = plan.infeasible?.find(({ reason }) => reason === 'memory')
    if (!short) {
      const message = `${roomText(plan)}; at the rate ${bytesText(total)} of ${bytesText(budget)} are in use on the fullest chip that generates.`
      return { ok: true, pointer: '/memoryBudget', expected, actual: bytesText(total), message }
    }
    const actual = bytesText(budget + (short.shortBytes ?? 0))
    const message = sentence(short.detail)
    return { ok: false, pointer: short.pointer, expected, actual, message, nearest: suggestions.map(remedy) }
  },
  withinOfBest: withinOf(sameAsBest, cappedBelow),
  launchableBy: launchable,
}

const launchedAsIs = launchedBy(sameAsBest)

/** Changes of the plan's own servers come first: a shorter longest request, and what is one change away. */
function launchable(frameworks: readonly Framework[], findings: Findings<ServePlan>): Outcome | null {
  const alone = { ...findings, oneChange: () => [] }
  const outcome = launchedAsIs(frameworks, alone)
  if (!outcome || outcome.ok) return outcome
  const { plan } = findings.evaluation
  const launches = (one: ServePlan) => launchedAsIs(frameworks, { ...alone, evaluation: { plan: one } })?.ok
  const changed = findings.oneChange().filter((one) => launches(one.plan))
  const { best } = findings
  const asBest = best && shapeOf(best) === shapeOf(plan) ? [] : (outcome.nearest ?? [])
  const { nearest: _, ...rest } = outcome
  const nearest = [...shorter(plan), ...changed.map(({ remedy }) => remedy), ...asBest]
  return nearest.length > 0 ? { ...rest, nearest } : rest
}

/** Its servers with requests as long as they have room for, in whole pages of caches. */
function shorter({ longestPositions, contextLength }: ServePlan): readonly Remedy[] {
  const value = longestPositions - (longestPositions % page)
  if (longestPositions >= contextLength || value === 0) return []
  const detail = `requests of at most ${value} positions, for which there is room`
  return [{ detail, changes: [{ pointer: '/plan/contextLength', value }] }]
}

const page = 256

function shapeOf(plan: ServePlan): string {
  return JSON.stringify(searchedAs(plan))
}

/** What memory has room for, and what the server is told to take at most. */
function roomText({ roomSequences, maxSequences }: ServePlan): string {
  const room = `A server has room for ${roomSequences} sequences of the asked lengths`
  return maxSequences > roomSequences ? `${room}, and is told to take at most ${maxSequences}` : room
}

/** Deployments are compared by chips if the workload has a rate, otherwise by the pool's time per request. */
export function serveRanking({ workload }: ServeProblem): Ranking<ServePlan> {
  return workload.requestsPerSecond === undefined ? byRate : byChips
}

const byChips: Ranking<ServePlan> = {
  says: 'The deployment takes',
  measure: ({ chips }) => chips,
  text: (chips) => `${threeFigures(chips)} chips`,
}

const byRate: Ranking<ServePlan> = {
  says: 'For a request the pool takes',
  measure: ({ requestsPerSecond }) => 1 / requestsPerSecond,
  text: secondsText,
}

/** The meshes are enough: the search chose what such a plan leaves out. */
export function searchedAs({ disaggregated, prefill, generate }: ServePlan) {
  return { disaggregated, prefill: { mesh: prefill.mesh }, generate: { mesh: generate.mesh } }
}

function sameAsBest(plan: ServePlan): Remedy {
  return {
    detail: `the best plan: ${plan.summary}`,
    changes: [{ pointer: '/plan', value: { ...searchedAs(plan), contextLength: plan.contextLength } }],
  }
}

/** Limits of its servers that are lower than those of the best: what runs at once under them is less, whatever memory has room for. */
function cappedBelow(plan: ServePlan, best: ServePlan): readonly string[] {
  return caps.flatMap(({ field, says }) => {
    const [own, other] = [plan[field], best[field]]
    if (own === null || other === null || own >= other) return []
    return [`Its servers take at most ${own} ${says} (${field}), those of the best ${other}.`]
  })
}

const caps = [
  { field: 'maxSequences', says: 'sequences at once' },
  { field: 'stepTokens', says: 'tokens in a step' },
] as const
