/** A plan that somebody wrote, costed as the search would; what it leaves out is chosen as the search would. */

import type { Mix } from './cost/memory-numbers.ts'
import { type CostModel, costModel } from './cost/model.ts'
import { policyNames } from './cost/policies.ts'
import type { Solvers } from './optimize.ts'
import { assemble } from './plan/assemble.ts'
import { modelSummary } from './plan/model-summary.ts'
import type { EvaluateAnswer, IllegalPlan } from './plan/plan.ts'
import { sketchFaults } from './plan/sketch-faults.ts'
import { sketchedPlacements } from './plan/sketched-placement.ts'
import { warnings } from './plan/warnings.ts'
import type { PlanSketch, Problem } from './problem.ts'
import type { Candidate, Layout } from './search/candidate.ts'
import type { Choices } from './search/consider.ts'
import { expandMesh } from './search/expand.ts'
import { createWorkbench } from './search/search.ts'
import {
  sketchedContextLayouts,
  sketchedCuts,
  sketchedMicrobatching,
  sketchedSchedules,
  sketchedZeroStages,
} from './search/sketch.ts'

export function evaluate(
  problem: Problem,
  sketch: PlanSketch,
  { small }: Solvers,
): EvaluateAnswer | IllegalPlan {
  const faults = sketchFaults(problem, sketch)
  if (faults.length > 0) return { illegal: faults }
  // The request's constraints are for the search; a plan that is spelled out is evaluated as it is.
  const free = { ...problem, constraints: {}, workload: unrestricted(problem, sketch) }
  const trials = sketchedContextLayouts(problem, sketch).flatMap((layout) => {
    const model = costModel(free, layout)
    return bestOf(model, sketch) ?? []
  })
  const [best] = trials.sort(
    (a, b) => Number(b.fits) - Number(a.fits) || a.candidate.score - b.candidate.score,
  )
  if (!best) {
    const detail =
      'no choice of what the plan leaves open can be run: its stages, microbatches and placement do not go together'
    return { illegal: [uncut(problem, sketch) ?? { pointer: '/plan', detail }] }
  }
  const plan = assemble(best.model, best.candidate, 1, small)
  return {
    plan,
    model: modelSummary(problem, problem.workload.sequenceLength),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: warnings(problem, plan, 'the plan'),
  }
}

interface Trial {
  readonly model: CostModel
  readonly candidate: Candidate
  readonly fits: boolean
}

/** The fastest that fits; where nothing does, the leanest. */
function bestOf(model: CostModel, sketch: PlanSketch): Trial | null {
  const { problem } = model
  const bench = createWorkbench(model)
  const choices: Choices = {
    ...sketchedZeroStages(problem, sketch),
    ...sketchedMicrobatching(problem, sketch),
    ...sketchedSchedules(problem, sketch),
    ...sketchedCuts(sketch),
    placements: sketchedPlacements(problem, sketch).meant,
    ...(sketch.rematerialization === undefined
      ? {}
      : { mix: (layout: Layout) => sketchedMix(model, sketch, layout) }),
  }
  const expanded = (some: Choices) => expandMesh(bench, sketch.mesh, Number.POSITIVE_INFINITY, some)
  const { best, nearest } = expanded(choices)
  if (best) return { model, candidate: best, fits: true }
  if (!nearest) return null
  const { microbatches, sequences } = nearest
  const leanest = expanded({
    ...choices,
    zeroStages: [nearest.zeroStage],
    microbatchings: [{ microbatches, sequences }],
    schedules: () => [nearest.schedule],
    mix: () => nearest.mix,
    overBudget: true,
  })
  return leanest.best && { model, candidate: leanest.best, fits: false }
}

/** Layers by stage are of few forms: where the plan is legal without them, they are what is in the way. */
function uncut(
  problem: Problem,
  { stageLayers, ...open }: PlanSketch,
): IllegalPlan['illegal'][number] | null {
  if (stageLayers === undefined) return null
  const free = { ...problem, constraints: {}, workload: unrestricted(problem, open) }
  const runs = sketchedContextLayouts(problem, open).some((layout) => bestOf(costModel(free, layout), open))
  const detail = `no cut that is tried is ${stageLayers.join(', ')}: but for the last stage, layers are shared out evenly, fewer on the first stages where they do not divide`
  return runs ? { pointer: '/plan/stageLayers', detail } : null
}

/** A policy that the plan names may be used, whatever the workload allows the search. */
function unrestricted({ workload, assumptions }: Problem, sketch: PlanSketch): Problem['workload'] {
  if (sketch.rematerialization === undefined) return workload
  return { ...workload, rematerialization: policyNames(assumptions.activations) }
}

function sketchedMix(model: CostModel, { rematerialization }: PlanSketch, { stageLayers }: Layout): Mix {
  if (rematerialization === undefined) throw new RangeError('The plan names no policy')
  const index = (name: string) => model.policies.findIndex((policy) => policy.name === name)
  if (typeof rematerialization === 'string') {
    const policy = index(rematerialization)
    return { policy, other: policy, count: 0 }
  }
  const [first, second] = rematerialization
  const policy = index(first?.policy ?? 'none')
  if (!second) return { policy, other: policy, count: 0 }
  const { tokensDivideFreely } = model.problem.assumptions
  const count = tokensDivideFreely ? second.layers / stageLayers.length : perStage(second.layers, stageLayers)
  return { policy, other: index(second.policy), count }
}

/** The fewest layers per stage that make at least so many in all. */
function perStage(layers: number, stageLayers: readonly number[]): number {
  const total = (count: number) => stageLayers.reduce((sum, own) => sum + Math.min(count, own), 0)
  let count = 0
  while (total(count) < layers && count < Math.max(...stageLayers)) count++
  return count
}
