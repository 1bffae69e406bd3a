/** Evaluates a written deployment. If it misses a requirement, suggests changes, each evaluated as far as time allows. */
import { compact } from '../compact.ts'
import { evaluateServe } from '../evaluate-serve.ts'
import type { Suggestion } from '../plan/answer.ts'
import { counted } from '../plan/explain/figures.ts'
import type { ServePlan } from '../plan/inference-plan.ts'
import { easings } from '../plan/serve/easier-requests.ts'
import type { ServeSketch } from '../plan-sketch.ts'
import type { ServeProblem } from '../problem.ts'
import { servedBy } from '../served-by.ts'
import { largerShare } from './larger-share.ts'
import { moreServers, withoutInstances } from './more-servers.ts'
import { otherCaches } from './other-caches.ts'
import { type Asked, type Changed, changesOf, remedied } from './remedied.ts'
import { withinShare } from './within-share.ts'

type AskedServe = Asked<ServeProblem, ServeSketch, ServePlan>

const evaluateShared = withinShare(evaluateServe)

const evaluateWithSuggestions = remedied(evaluateShared, (asked: AskedServe, plan) =>
  compact(
    largerShare(asked, plan),
    otherCaches(asked, plan, ({ roomSequences }) => roomSequences),
    moreInstances(asked),
    otherLimits(asked),
    moreServers(asked, plan),
    easierLoad(asked, plan),
  ),
)

/** With what the deployment does under each server that launches it. */
export const evaluateServeRemedied: typeof evaluateWithSuggestions = (problem, sketch, solver, stop, by) => {
  const answer = evaluateWithSuggestions(problem, sketch, solver, stop, by)
  if (!('plan' in answer)) return answer
  const { plan, warnings } = servedBy(problem)(answer.plan, stop)
  return { ...answer, plan, warnings: [...warnings, ...answer.warnings] }
}

/** Replaces the plan's numbers of instances by those that are needed. */
function moreInstances({ problem, sketch, fitting }: AskedServe): Suggestion | null {
  const { prefill = {}, generate = {} } = sketch
  if (prefill.instances === undefined && generate.instances === undefined) return null
  const found = fitting(problem, withoutInstances(sketch))
  if (!found) return null
  const value = found.generate.instances
  const also = [{ pointer: '/plan/prefill/instances', value: found.prefill.instances }]
  const detail = `${found.prefill.instances} to prefill and ${value} to generate, on ${counted(found.chips, 'chip')}`
  return { change: 'other numbers of instances', pointer: '/plan/generate/instances', value, detail, also }
}

const limits = {
  maxSequences: ({ maxSequences }: ServePlan) => `at most ${maxSequences} sequences at once`,
  stepTokens: ({ stepTokens }: ServePlan) => (stepTokens === null ? null : `${stepTokens} tokens in a step`),
} as const

type Limit = keyof typeof limits

/** The deployment with limits of its servers replaced by those that would be chosen; none if it has not set one of them. */
function limitsChosen(
  { problem, sketch, fitting }: AskedServe,
  [first, ...rest]: readonly [Limit, ...Limit[]],
): readonly Changed<ServePlan>[] {
  const names = [first, ...rest]
  if (names.some((name) => sketch[name] === undefined)) return []
  const left = Object.entries(sketch).filter(([name]) => !names.some((own) => own === name))
  const plan = fitting(problem, Object.fromEntries(left))
  if (!plan) return []
  const set = (name: Limit) => ({ pointer: `/plan/${name}`, value: plan[name] })
  const text = names.flatMap((name) => limits[name](plan) ?? []).join(', and ')
  return [{ change: 'other server limits', text, changes: [set(first), ...rest.map(set)], plan }]
}

export const serveChanges = changesOf(evaluateShared, (asked: AskedServe) => [
  ...wholeExperts(asked),
  ...chosenLimits(asked),
])

/** Experts whole on the chips that slice each of them. */
function wholeExperts({ problem, sketch, fitting }: AskedServe): readonly Changed<ServePlan>[] {
  const { generate: { layout = {}, ...generate } = {} } = sketch
  const { experts } = layout
  const value = experts?.replace(/\/sliced$/, '/spread')
  if (value === undefined || value === experts) return []
  const plan = fitting(problem, {
    ...sketch,
    generate: { ...generate, layout: { ...layout, experts: value } },
  })
  const pointer = '/plan/generate/layout/experts'
  return plan ? [{ change: 'experts whole on chips', text: value, changes: [{ pointer, value }], plan }] : []
}

/** Each limit of the servers alone, then both. */
function chosenLimits(asked: AskedServe) {
  const sets = [['maxSequences'], ['stepTokens'], ['maxSequences', 'stepTokens']] as const
  return sets.flatMap((names) => limitsChosen(asked, names))
}

/** All limits that the plan sets. */
function otherLimits(asked: AskedServe): readonly Suggestion[] {
  return chosenLimits(asked)
    .slice(-1)
    .map(({ change, text, changes: [own, ...also] }) => ({ change, ...own, detail: text, also }))
}

/** Relaxes each requirement of the load that the plan misses, just as far as needed. */
function easierLoad({ problem, sketch, fitting }: AskedServe, plan: ServePlan): readonly Suggestion[] {
  const { workload } = problem
  const { requestsPerSecond: rate, ...anyRate } = workload
  const sustained =
    rate === undefined ? null : fitting({ ...problem, workload: anyRate }, withInstances(sketch, plan))
  const lower = sustained && Math.min(rate ?? 0, Number((0.99 * sustained.requestsPerSecond).toPrecision(3)))
  const changes = [
    { ...easings.rate, value: lower, text: easings.rate.text(lower ?? 0) },
    ...latencies.map(({ of, ...easing }) => {
      const seconds = plan[of]
      const value = over(seconds, workload[easing.field]) ? Number((1.01 * seconds).toPrecision(3)) : null
      return { ...easing, value, text: easing.text(seconds) }
    }),
  ] as const
  return changes.flatMap(({ change, field, value, text }) => {
    if (!value) return []
    const changed = { ...problem, workload: { ...workload, [field]: value } }
    if (!fitting(changed, sketch)) return []
    return [{ change, pointer: `/workload/${field}`, value, detail: `the plan reaches ${text}` }]
  })
}

const latencies = [
  { ...easings.first, of: 'timeToFirstTokenSeconds' },
  { ...easings.perToken, of: 'timePerOutputTokenSeconds' },
] as const

function over(seconds: number, limit: number | undefined): boolean {
  return limit !== undefined && seconds > limit
}

/** The deployment with its present instances written out, so that only the rate is left to be found. */
function withInstances(sketch: ServeSketch, { prefill, generate }: ServePlan): ServeSketch {
  return {
    ...sketch,
    prefill: { ...sketch.prefill, instances: prefill.instances },
    generate: { ...sketch.generate, instances: generate.instances },
  }
}
