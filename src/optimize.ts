/** The service in one page: a problem in, ranked plans out. */
import type { Solver } from '../solvers/linear-program.ts'
import { compact } from './compact.ts'
import type { CostModel } from './cost/model.ts'
import { onCluster } from './cost/posed.ts'
import { alone, type Crew } from './crew.ts'
import { evaluatedTrial } from './evaluate.ts'
import { kinOf } from './hardware/kin.ts'
import { placements } from './hardware/network/placement.ts'
import { ofKind, trainers } from './launch/framework.ts'
import { launchable, launchRefusals } from './launch/training.ts'
import { endless, type Patience, type Stop, shares } from './patience.ts'
import { trainingAccount } from './plan/account/accounts.ts'
import type { NoPlan, OptimizeAnswer, Unlaunchable } from './plan/answer.ts'
import { answered } from './plan/answered.ts'
import { assemble } from './plan/assemble.ts'
import { type Chosen, chosen, nearBest } from './plan/certainty/choice.ts'
import { beyondOf, comparingSteps, customOf, withinRunsOf } from './plan/certainty/custom.ts'
import { measuredFasterText } from './plan/certainty/measured-faster.ts'
import { trainingPreferences } from './plan/certainty/preferences.ts'
import { preferredOf } from './plan/certainty/preferred.ts'
import { type AsRequested, type RecipeRecord, recipesFor } from './plan/certainty/recipes.ts'
import { recipesBeside } from './plan/certainty/recipes-beside.ts'
import { compared } from './plan/certainty/ties.ts'
import { beyondRunsText } from './plan/explain/beyond-runs.ts'
import { bytesText } from './plan/explain/figures.ts'
import { wholeBeside } from './plan/explain/idle-chips.ts'
import { otherRecipeText } from './plan/explain/other-recipe.ts'
import { warnings } from './plan/explain/warnings.ts'
import { anythingListed } from './plan/no-plan/anything-listed.ts'
import { noPlan } from './plan/no-plan/no-plan.ts'
import { unfitting } from './plan/outline.ts'
import type { Plan } from './plan/plan.ts'
import { sensitivity } from './plan/sensitivity/sensitivity.ts'
import { worthTelling } from './plan/worth-telling.ts'
import { type Problem, wholeSequences } from './problem.ts'
import { continuousBound } from './search/bound/continuous-bound.ts'
import { keyOf, usualDistinct } from './search/distinct.ts'
import { anythingFits } from './search/fits.ts'
import type { Candidate, Layout, Misfit } from './search/layouts/candidate.ts'
import { boundingModel, contextModels, modelFor } from './search/layouts/context-models.ts'
import { enumerateMeshes } from './search/meshes/meshes.ts'
import { misfits } from './search/misfits.ts'
import { noneRefused } from './search/refused.ts'
import { searchAll, type WholeSearch } from './search/search-all.ts'
import { withBestWithin } from './search/within.ts'
import type { Seconds } from './units.ts'

/**
 * Exact when there is no time limit. Else the best so far, with what was not looked at and the gap that is still
 * proven; when there was no time to find anything, no plans and no reasons.
 */
export function optimize(
  problem: Problem,
  solver: Solver,
  patience: Patience = endless,
  crew: Crew = alone,
): OptimizeAnswer {
  const { unseen } = enumerateMeshes(problem, patience(shares.meshes))
  const robust = problem.objective === 'robust'
  const sought = robust ? widened(problem) : problem
  const models = contextModels(sought)
  const modelOf = (layout: Layout) => modelFor(models, layout)
  const boundOnAll = crew.beside(() => boundOn(boundingModel(models), solver), {
    stop: patience(shares.bound),
  })
  const found = listed(models, sought, patience, crew)
  const standing = robust ? chosen(found.candidates, modelOf, patience(shares.draws)) : null
  const result = {
    ...found,
    candidates: standing ? firsts(standing, problem) : nearRuns(models, found, problem, patience, crew),
  }
  const choices = new Map(standing?.map(({ candidate, choice }) => [candidate, choice]))
  const planOf = (candidate: Candidate, rank: number): Plan => ({
    ...assemble(modelOf(candidate), candidate, rank, solver),
    choice: choices.get(candidate) ?? null,
  })
  const { refused, unsought } = result
  const [leading] = result.candidates
  const answer = answered<Problem, Candidate, Plan, NoPlan>(
    {
      ...{ problem, result, planOf },
      positions: problem.workload.sequenceLength,
      secondsOf: ({ score }) => score,
      unlaunchable: (first) =>
        refused && unlaunchablePlan(modelOf(refused), refused, first, planOf(refused, 0)),
      assumed: ofKind(trainers, problem.assumptions.frameworks),
      refused: result.infeasible.constraint,
      // A bound on only some of the meshes would not hold for the others.
      boundOf: (best, late) => (late || unseen > 0 ? null : boundOf(models, best, solver, boundOnAll)),
      sensitivityOf: (best, late) =>
        late ? null : sensitivity(modelOf(best), best, launchable(modelOf(best))),
      answerOn: (fewer) => optimize(fewer, solver, patience),
      reasons: (stop) => noPlan(problem, result, nearestPlan(modelOf, result.nearest, planOf), stop),
      anyPlan: (changed, stop) => anythingListed(problem, changed, stop),
      warnings: (first) =>
        compact(
          robust && first && !standing && undrawn,
          unsought > 0 && (first || refused) && unsoughtText,
          leading && otherRecipeText(modelOf(leading), leading, 'the best plan'),
          warnings(problem, first),
        ),
    },
    patience,
    crew,
  )
  const beyond = beyondOf(problem)
  const plans = compared(answer.plans, comparingSteps(problem))
  const records = recipesOf(problem)
  const preferred = preferredOf(plans, trainingPreferences(customOf(problem, records)), problem.top)
  const recipes = recipesBeside(records, problem, plans, (recipe) =>
    asRequested(recipe, problem, patience(shares.recipes)),
  )
  return {
    ...answer,
    plans,
    recipes,
    preferred,
    warnings: compact(
      wholeBeside(plans, result.onAll?.score ?? null),
      beyondRunsText(plans, beyond),
      measuredFasterText(recipes, plans),
      answer.warnings,
    ),
  }
}

/** Keeps as many of the fastest meshes as the robust choice compares with one another. */
function widened(problem: Problem): Problem {
  const distinct = problem.distinct === 'layout' ? 'layout' : 'mesh'
  return { ...problem, distinct, top: Math.max(problem.top, nearBest) }
}

/** The first of each group of candidates that the list does not tell apart. */
function firsts(standing: readonly Chosen[], { distinct, top }: Problem): readonly Candidate[] {
  const key = keyOf(distinct ?? usualDistinct)
  const keys = new Set<string>()
  return standing
    .map(({ candidate }) => candidate)
    .filter((candidate) => !keys.has(key(candidate)) && keys.add(key(candidate)))
    .slice(0, top)
}

const undrawn =
  'there was no time to draw uncertain constants: plans are ranked by their steps as assumed; raise timeoutMs'

/** The plans that were found, and the best one that divides the model no finer than somebody has run, if it is about as fast. */
function nearRuns(
  models: readonly CostModel[],
  { candidates }: WholeSearch,
  problem: Problem,
  patience: Patience,
  crew: Crew,
): readonly Candidate[] {
  const { top } = problem
  const isWithin = withinRunsOf(problem)
  const listed = candidates.slice(0, top)
  if (!isWithin) return listed
  const stop = patience(shares.unlaunchable)
  return withBestWithin(models, listed, { top, isWithin, acceptsOf: launchable, stop, crew })
}

function recipesOf({ model, cluster, workload, recipes = [] }: Problem): readonly RecipeRecord[] {
  const { sequenceLength } = workload
  return recipesFor(recipes, { model, chip: kinOf(cluster.chip), chips: cluster.chips, sequenceLength })
}

/** A published layout with all else as requested, on as many chips and with the same batch. */
function asRequested(
  { plan, chips, batchSequences, sequenceLength }: RecipeRecord,
  problem: Problem,
  stop: Stop,
): AsRequested | null {
  const { cluster, workload } = problem
  if (chips !== cluster.chips || sequenceLength !== workload.sequenceLength) return null
  if (batchSequences !== wholeSequences(workload) || stop()) return null
  const trial = evaluatedTrial(problem, plan)
  if ('illegal' in trial) return null
  const { seconds, memory } = trainingAccount(trial.model, trial.candidate)
  return { stepTimeSeconds: seconds, feasible: unfitting(memory, cluster.chip, bytesText).length === 0 }
}

const unsoughtText =
  'there was no time to look for all plans that no framework launches: one of them may be better; raise timeoutMs'

/** The lower bound over meshes of all the chips and over meshes of as many chips as the best plan takes. */
function boundOf(
  models: readonly CostModel[],
  { cluster }: Candidate,
  solver: Solver,
  onAll: () => Seconds | null,
): Seconds | null {
  const model = boundingModel(models)
  const fewer =
    cluster.chips === model.problem.cluster.chips ? null : boundOn(onCluster(model, cluster), solver)
  const bounds = [onAll(), fewer].filter((bound) => bound !== null)
  return bounds.length > 0 ? Math.min(...bounds) : null
}

function boundOn(model: CostModel, solver: Solver): Seconds | null {
  return continuousBound(model, solver)?.lowerBoundSeconds ?? null
}

/**
 * The launchable plans, and the best plan of all where that is better. The latter is sought on all the chips only:
 * a plan that no framework launches is no reason to leave chips idle.
 */
function listed(models: readonly CostModel[], problem: Problem, patience: Patience, crew: Crew): WholeSearch {
  const stop = patience(shares.search)
  // When nothing fits there is nothing to rank: memory alone gives all the reasons, and gives them soon.
  const fits = anythingFits(problem, stop)
  const none = fits ? null : misfits(models, stop)
  const [late, refused] = [patience(shares.floors), patience(shares.unlaunchable)]
  const result = searchAll(models, problem.top, launchable, {
    ...{ stop, late, fits, whole: none, refused, advantage: worthTelling, crew },
  })
  if (!none || result.candidates.length > 0) return result
  const { unexamined, floor } = result
  return { ...none, ...noneRefused, unexamined, floor, onAll: null }
}

function unlaunchablePlan(
  model: CostModel,
  candidate: Candidate,
  first: Plan | null,
  plan: Plan,
): Unlaunchable<Plan> | null {
  const advantage = first && first.stepTimeSeconds / plan.stepTimeSeconds
  if (advantage !== null && advantage <= 1 + worthTelling) return null
  return { plan, advantage, reasons: launchRefusals(model, candidate) }
}

/** The layout that came nearest to fitting, costed on its first placement although it fits nowhere. */
function nearestPlan(
  modelOf: (layout: Layout) => CostModel,
  misfit: Misfit | null,
  planOf: (candidate: Candidate, rank: number) => Plan,
): Plan | null {
  if (!misfit) return null
  const [placement] = placements(modelOf(misfit).problem.cluster.network, misfit.mesh)
  return placement ? planOf({ ...misfit, placement, score: 0 }, 0) : null
}
