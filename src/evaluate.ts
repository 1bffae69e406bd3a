/** A plan that somebody wrote, costed as the search would; what it leaves out is chosen as the search would. */
import type { Solver } from '../solvers/linear-program.ts'
import { compact } from './compact.ts'
import type { Constraints } from './constraint.ts'
import { costModel } from './cost/compiled-model.ts'
import type { Mix } from './cost/memory/stage-memory.ts'
import type { CostModel } from './cost/model.ts'
import { launchable } from './launch/training.ts'
import type { EvaluateAnswer, IllegalPlan } from './plan/answer.ts'
import { resolved } from './plan/answered.ts'
import { assemble } from './plan/assemble.ts'
import { beyondLinks } from './plan/explain/beyond-links.ts'
import { otherRecipeText } from './plan/explain/other-recipe.ts'
import { warnings } from './plan/explain/warnings.ts'
import { onParts } from './plan/no-plan/on-parts.ts'
import { sketchFaults } from './plan/sketch/sketch-faults.ts'
import { sketchedPlacements } from './plan/sketch/sketched-placement.ts'
import type { PlanSketch } from './plan-sketch.ts'
import type { Problem } from './problem.ts'
import { keepEverything } from './recipe/policy.ts'
import { policiesOf } from './rules/rematerialization.ts'
import type { Accepts, Candidate, Layout, Misfit } from './search/layouts/candidate.ts'
import type { Choices, Expansion } from './search/layouts/consider.ts'
import { expandMesh } from './search/layouts/expand.ts'
import {
  sketchedContextLayouts,
  sketchedMicrobatching,
  sketchedSchedules,
  sketchedZeroStages,
} from './search/layouts/sketch.ts'
import { createWorkbench } from './search/search.ts'

/** A mesh that takes fewer chips than there are lies on the part of them where it is best; the others stand idle. */
export function evaluate(problem: Problem, sketch: PlanSketch, solver: Solver): EvaluateAnswer | IllegalPlan {
  return onParts(problem.cluster, sketch.mesh, (cluster) =>
    evaluateOn({ ...problem, cluster }, sketch, solver),
  )
}

function evaluateOn(problem: Problem, sketch: PlanSketch, solver: Solver): EvaluateAnswer | IllegalPlan {
  const best = evaluatedTrial(problem, sketch)
  if ('illegal' in best) return best
  const plan = assemble(best.model, best.candidate, 1, solver)
  return {
    plan,
    ...resolved(problem, problem.workload.sequenceLength),
    warnings: compact(
      otherRecipeText(best.model, best.candidate, 'the plan'),
      warnings(problem, plan, 'the plan'),
      beyondLinks(problem, plan),
    ),
  }
}

/** The plan as the search would complete it, on all the chips of its problem. */
export function evaluatedTrial(problem: Problem, sketch: PlanSketch): Trial | IllegalPlan {
  const faults = sketchFaults(problem, sketch)
  if (faults.length > 0) return { illegal: faults }
  const best = bestTrial(problem, sketch)
  if (best) return best
  const detail =
    'no choice of what the plan leaves open can be run: its stages, microbatches and placement do not go together'
  return { illegal: [{ pointer: '/plan', detail }] }
}

export interface Trial {
  readonly model: CostModel
  readonly candidate: Candidate
}

/**
 * The first plan that the search lists on the sketch's mesh, with what the sketch says: the fastest that fits and can be
 * launched; else the fastest that fits; else the leanest, placed as it can be launched if it can.
 */
function bestTrial(problem: Problem, sketch: PlanSketch): Trial | null {
  const workload = unrestricted(problem, sketch)
  const layouts = sketchedContextLayouts(problem, sketch)
  const under = (constraints: Constraints): Trial | null => {
    const models = layouts.map((layout) => costModel({ ...problem, constraints, workload }, layout))
    return (
      fastest(models, sketch, launchable) ?? fastest(models, sketch, () => null) ?? leanest(models, sketch)
    )
  }
  return under(openConstraints(problem, sketch)) ?? under({})
}

/** The request's constraints on what the plan leaves open: what the plan spells out is taken as it is. */
function openConstraints({ constraints }: Problem, sketch: PlanSketch): Constraints {
  const { zeroStage, microbatches, virtualStages } = constraints
  const { microbatches: units, microbatchTokens, pipelineSchedule, virtualStages: chunks } = sketch
  return {
    ...(zeroStage !== undefined && sketch.zeroStage === undefined ? { zeroStage } : {}),
    ...(microbatches !== undefined && (units ?? microbatchTokens) === undefined ? { microbatches } : {}),
    ...(virtualStages !== undefined && (chunks ?? pipelineSchedule) === undefined ? { virtualStages } : {}),
  }
}

function fastest(
  models: readonly CostModel[],
  sketch: PlanSketch,
  acceptsOf: (model: CostModel) => Accepts | null,
): Trial | null {
  let found: Trial | null = null
  for (const model of models) {
    const { best } = completed(model, sketch, { nearest: false }, acceptsOf(model))
    if (best && (!found || best.score < found.candidate.score)) found = { model, candidate: best }
  }
  return found
}

function leanest(models: readonly CostModel[], sketch: PlanSketch): Trial | null {
  let least: { readonly model: CostModel; readonly nearest: Misfit } | null = null
  for (const model of models) {
    const { nearest } = completed(model, sketch)
    if (nearest && (!least || nearest.shortBytes < least.nearest.shortBytes)) least = { model, nearest }
  }
  if (!least) return null
  const { model, nearest } = least
  const { microbatches, sequences } = nearest
  const choices: Choices = {
    zeroStages: [nearest.zeroStage],
    microbatchings: [{ microbatches, sequences }],
    schedules: () => [nearest.schedule],
    mix: () => nearest.mix,
    overBudget: true,
  }
  // Where a framework could launch it with room enough, its placement is one that the framework has.
  const { best } = completed(model, sketch, choices, launchable(model))
  const candidate = best ?? completed(model, sketch, choices).best
  return candidate && { model, candidate }
}

/** Searches the sketch's mesh for all that the sketch leaves open. */
function completed(
  model: CostModel,
  sketch: PlanSketch,
  more: Choices = {},
  accepts: Accepts | null = null,
): Expansion {
  const { problem } = model
  const choices: Choices = {
    ...sketchedZeroStages(problem, sketch),
    ...sketchedMicrobatching(problem, sketch),
    ...sketchedSchedules(problem, sketch),
    ...(sketch.stageLayers ? { stageLayers: sketch.stageLayers } : {}),
    placements: sketchedPlacements(problem, sketch).meant,
    ...(sketch.rematerialization === undefined
      ? {}
      : { mix: (layout: Layout) => sketchedMix(model, sketch, layout) }),
    ...more,
  }
  return expandMesh(createWorkbench(model, accepts), sketch.mesh, Number.POSITIVE_INFINITY, choices)
}

/** Policies that the plan names may be used beside those that the search may use, so that what others would reach is as in an answer's list. */
function unrestricted(problem: Problem, sketch: PlanSketch): Problem['workload'] {
  const { workload, assumptions } = problem
  if (sketch.rematerialization === undefined) return workload
  const said = policiesOf({ problem, sketch }).map(({ policy }) => policy)
  return {
    ...workload,
    rematerialization: [...(workload.rematerialization ?? assumptions.policies), ...said],
  }
}

function sketchedMix(model: CostModel, { rematerialization }: PlanSketch, { stageLayers }: Layout): Mix {
  if (rematerialization === undefined) throw new RangeError('The plan names no policy')
  const index = (name: string) => model.policies.findIndex((policy) => policy.name === name)
  if (typeof rematerialization === 'string') {
    const policy = index(rematerialization)
    return { policy, other: policy, count: 0 }
  }
  const [first, second] = rematerialization
  const policy = index(first?.policy ?? keepEverything.name)
  if (!second) return { policy, other: policy, count: 0 }
  const { tokensDivideFreely } = model.problem.assumptions
  const count = tokensDivideFreely ? second.layers / stageLayers.length : perStage(second.layers, stageLayers)
  return { policy, other: index(second.policy), count }
}

/** The fewest layers on each stage that make at least `layers` over all stages. */
function perStage(layers: number, stageLayers: readonly number[]): number {
  const total = (count: number) => stageLayers.reduce((sum, own) => sum + Math.min(count, own), 0)
  let count = 0
  while (total(count) < layers && count < Math.max(...stageLayers)) count++
  return count
}
