/** The service in one page: a problem in, ranked plans out. */
import type { Solver } from '../solvers/linear-program.ts'
import { type CostModel, onCluster } from './cost/model.ts'
import { placements } from './hardware/network/placement.ts'
import { ofKind, trainers } from './launch/framework.ts'
import { launchable, launchRefusals } from './launch/training.ts'
import { endless, type Patience, type Stop, shares } from './patience.ts'
import { assemble } from './plan/assemble.ts'
import { assembled, unshown } from './plan/assembled.ts'
import { preferredOf } from './plan/certainty/preferred.ts'
import { type Recipe, recipesFor } from './plan/certainty/recipes.ts'
import { compared } from './plan/certainty/ties.ts'
import { withIdleChips } from './plan/explain/idle-chips.ts'
import { modelSummary } from './plan/explain/model-summary.ts'
import { warnings } from './plan/explain/warnings.ts'
import { anythingListed } from './plan/no-plan/anything-listed.ts'
import { noLaunch } from './plan/no-plan/no-launch.ts'
import { noPlan } from './plan/no-plan/no-plan.ts'
import { underChips } from './plan/no-plan/under-chips.ts'
import type { NoPlan, OptimizeAnswer, Plan, Unlaunchable } from './plan/plan.ts'
import { searchAccount } from './plan/search-account.ts'
import { sensitivity } from './plan/sensitivity/sensitivity.ts'
import type { Problem } from './problem.ts'
import { continuousBound } from './search/bound/continuous-bound.ts'
import type { Candidate, Layout, Misfit } from './search/candidate.ts'
import { boundingModel, contextModels, modelFor } from './search/context-models.ts'
import { anythingFits } from './search/fits.ts'
import { enumerateMeshes } from './search/meshes.ts'
import { misfits } from './search/misfits.ts'
import { searchAll, type WholeSearch } from './search/search-all.ts'
import type { SearchResult } from './search/search-result.ts'
import type { Seconds } from './units.ts'

/**
 * With no end to the time there is, exact. Else the best so far, with what was not looked at and the gap that is proven
 * all the same; where there was no time to find anything, no plans and no reasons.
 */
export function optimize(problem: Problem, solver: Solver, patience: Patience = endless): OptimizeAnswer {
  const { unseen } = enumerateMeshes(problem, patience(shares.meshes))
  const models = contextModels(problem)
  const result = listed(models, problem, patience)
  const modelOf = (layout: Layout) => modelFor(models, layout)
  const written = assembled(
    result.candidates,
    (candidate, rank) => {
      const plan = assemble(modelOf(candidate), candidate, rank, solver)
      return withIdleChips(plan, problem, result.onAll?.score ?? null)
    },
    patience(shares.plans),
  )
  const plans = compared(written, problem.residuals)
  const recipes = recipesOf(problem)
  const [best] = result.candidates
  const { refused } = result
  const unlaunchable = refused && unlaunchablePlan(modelOf(refused), refused, plans[0] ?? null, solver)
  const late = patience(shares.bound)()
  // Of some of the meshes it would bound those alone.
  const bound = best && !late && unseen === 0 ? boundOf(models, best, solver) : null
  const none = !best && result.unexamined === 0
  return {
    plans,
    preferred: preferredOf(plans, problem.cluster.chip, recipes),
    recipes,
    unlaunchable,
    search: searchAccount(
      result,
      plans[0] && best ? { stepTimeSeconds: plans[0].stepTimeSeconds, score: best.score } : null,
      bound,
    ),
    sensitivity: best && !late ? sensitivity(modelOf(best), best, launchable(modelOf(best))) : null,
    infeasible: none
      ? (underChips(
          problem,
          (fewer) => optimize(fewer, solver, patience).infeasible,
          (changed) => anythingListed(changed, patience(shares.suggestions)),
        ) ?? nothing(problem, result, modelOf, unlaunchable, solver, patience(shares.suggestions)))
      : null,
    model: modelSummary(problem, problem.workload.sequenceLength),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: [
      ...unshown(result.candidates.length, plans.length),
      ...(result.unsought > 0 && (best || refused) ? [unsought] : []),
      ...warnings(problem, plans[0] ?? null),
    ],
  }
}

function recipesOf({ model, cluster, workload, recipes = [] }: Problem): readonly Recipe[] {
  const { sequenceLength } = workload
  return recipesFor(recipes, { model, chip: cluster.chip.name, chips: cluster.chips, sequenceLength })
}

const unsought =
  'there was no time to look for all plans that no framework launches: one of them may be better; raise timeoutMs'

/** Of meshes of all the chips, and of as many as the best plan takes. */
function boundOf(models: readonly CostModel[], { cluster }: Candidate, solver: Solver): Seconds | null {
  const model = boundingModel(models)
  const sizes = cluster.chips === model.problem.cluster.chips ? [model] : [model, onCluster(model, cluster)]
  const bounds = sizes.flatMap((own) => continuousBound(own, solver)?.lowerBoundSeconds ?? [])
  return bounds.length > 0 ? Math.min(...bounds) : null
}

/**
 * What can be launched, and the best of all where that is better. That one takes all the chips: what no framework launches is no
 * reason to leave some idle.
 */
function listed(models: readonly CostModel[], problem: Problem, patience: Patience): WholeSearch {
  const stop = patience(shares.search)
  // Where nothing fits there is nothing to rank: memory alone says all, and the reasons come soon.
  const fits = anythingFits(problem, stop)
  const none = fits ? null : misfits(models, stop)
  const [late, refused] = [patience(shares.floors), patience(shares.unlaunchable)]
  const result = searchAll(models, problem.top, launchable, { stop, late, fits, whole: none, refused })
  if (!none || result.candidates.length > 0) return result
  const { unexamined, floor } = result
  return { ...none, unexamined, floor, onAll: null }
}

function unlaunchablePlan(
  model: CostModel,
  candidate: Candidate,
  first: Plan | null,
  solver: Solver,
): Unlaunchable<Plan> {
  const plan = assemble(model, candidate, 0, solver)
  return {
    plan,
    advantage: first && first.stepTimeSeconds / plan.stepTimeSeconds,
    reasons: launchRefusals(model, candidate),
  }
}

function nothing(
  problem: Problem,
  result: SearchResult,
  modelOf: (layout: Layout) => CostModel,
  unlaunchable: Unlaunchable<Plan> | null,
  solver: Solver,
  stop: Stop,
): NoPlan {
  if (!unlaunchable) return noPlan(problem, result, nearestPlan(modelOf, result.nearest, solver), stop)
  const assumed = ofKind(trainers, problem.assumptions.frameworks)
  return noLaunch(problem, assumed, result.infeasible.constraint, (changed) => anythingListed(changed, stop))
}

/** A layout that fits nowhere, costed all the same: on the first placement that it has. */
function nearestPlan(
  modelOf: (layout: Layout) => CostModel,
  misfit: Misfit | null,
  solver: Solver,
): Plan | null {
  if (!misfit) return null
  const model = modelOf(misfit)
  const [placement] = placements(model.problem.cluster.network, misfit.mesh)
  return placement ? assemble(model, { ...misfit, placement, score: 0 }, 0, solver) : null
}
