/**
 * What would do for a deployment that is short of its rate or late, beside an easier load: more chips for more of its own
 * instances, or the layouts that the search finds, on the chips there are or on the fewest with which there are any.
 */
import { compact } from '../compact.ts'
import { present } from '../fields.ts'
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { remembered } from '../known.ts'
import type { Suggestion } from '../plan/answer.ts'
import type { ServePlan } from '../plan/inference-plan.ts'
import { largerHardware } from '../plan/no-plan/larger-hardware.ts'
import { doubled, largerThatFits, moreChips } from '../plan/no-plan/resource-suggestions.ts'
import type { InstanceSketch, ServeSketch } from '../plan-sketch.ts'
import type { ServeProblem } from '../problem.ts'
import type { Change } from '../rules/part-rule.ts'
import { searchedAs } from '../validation/serve-requirements.ts'
import { withHeldShare } from './held-share.ts'
import type { Asked } from './remedied.ts'

type AskedServe = Asked<ServeProblem, ServeSketch, ServePlan>

export function moreServers(asked: AskedServe, { infeasible = [] }: ServePlan): readonly Suggestion[] {
  const short = infeasible.some(({ reason }) => reason === 'rate')
  const own = short ? moreOfItsOwn(asked) : null
  const other = otherLayout(asked, own?.chips ?? Number.POSITIVE_INFINITY)
  return compact(own?.suggestion, other)
}

/** The plan's own servers, as many as the rate needs; null also if the chips there are have room for them: then other numbers of instances do. */
function moreOfItsOwn({ problem, sketch, fitting }: AskedServe) {
  const free = withoutInstances(sketch)
  const on = remembered((cluster: Cluster) => fitting({ ...problem, cluster }, free))
  if (on(problem.cluster)) return null
  const larger = largerThatFits(problem, (cluster) => on(cluster) !== null)
  const found = larger && on(larger.cluster)
  if (!larger || !found) return null
  const also = (['prefill', 'generate'] as const).flatMap((phase): readonly Change[] =>
    sketch[phase]?.instances === undefined
      ? []
      : [{ pointer: `/plan/${phase}/instances`, value: found[phase].instances }],
  )
  const { detail, ...more } = moreChips(larger)
  const suggestion = {
    ...more,
    detail: `${detail}, for "${found.summary}"`,
    ...(also.length > 0 ? { also } : {}),
  }
  return { chips: larger.cluster.chips, suggestion }
}

/** A deployment with its numbers of instances left open. */
export function withoutInstances({ prefill = {}, generate = {}, ...rest }: ServeSketch): ServeSketch {
  const open = ({ instances: _, ...own }: InstanceSketch) => own
  return { ...rest, prefill: open(prefill), generate: open(generate) }
}

/** What the search would take in the plan's place, on fewer chips than its own servers need. */
function otherLayout({ problem, sketch, fitting }: AskedServe, below: number): Suggestion | null {
  const { prefill, generate } = sketch
  const mesh = generate?.mesh ?? prefill?.mesh
  if (!mesh) return null
  const { contextLength, cacheShare, maxSequences, stepTokens } = sketch
  const from = { mesh, layout: generate?.layout ?? {} }
  const on = (cluster: Cluster) => {
    const limits = present({ maxSequences, stepTokens })
    const found = withHeldShare(
      { setting: { ...problem, cluster }, cacheShare, limits, from },
      (share) => fitting({ ...problem, cluster }, present({ contextLength, cacheShare: share })),
      (plan) => ({ mesh: plan.generate.mesh, layout: plan.generate.layout.components }),
    )
    if (!found) return null
    const held = present({ contextLength, cacheShare: found.cacheShare })
    return { summary: found.plan.summary, value: { ...searchedAs(found.plan), ...held } }
  }
  const found = on(problem.cluster)
  if (found) {
    const detail = `the search finds "${found.summary}", which is enough`
    return { change: 'other layouts', pointer: '/plan', value: found.value, detail }
  }
  return doubled(problem.cluster.chips, mostTimes, (chips) => {
    const larger = chips < below ? largerHardware(problem, chips) : null
    const deployment = larger && on(larger.cluster)
    if (!deployment) return null
    const { detail, ...more } = moreChips(larger)
    const also = [{ pointer: '/plan', value: deployment.value }]
    return {
      ...more,
      change: 'more chips and other layouts',
      detail: `${detail}, for "${deployment.summary}"`,
      also,
    }
  })
}

const mostTimes = 8
