/** The service in one page: a problem in, ranked plans out. */
import type { Solver } from '../solvers/linear-program.ts'
import type { CostModel } from './cost/model.ts'
import { placements } from './hardware/placement.ts'
import { anythingListed } from './plan/anything-listed.ts'
import { assemble } from './plan/assemble.ts'
import { launchable, launchRefusals } from './plan/launch.ts'
import { modelSummary } from './plan/model-summary.ts'
import { noLaunch } from './plan/no-launch.ts'
import { noPlan } from './plan/no-plan.ts'
import type { NoPlan, OptimizeAnswer, Plan, Unlaunchable } from './plan/plan.ts'
import { sensitivity } from './plan/sensitivity.ts'
import { warnings } from './plan/warnings.ts'
import type { Problem } from './problem.ts'
import type { Candidate, Layout, Misfit } from './search/candidate.ts'
import { boundingModel, contextModels, modelFor, searchAll } from './search/context-models.ts'
import { continuousBound } from './search/continuous-bound.ts'
import type { SearchResult } from './search/search.ts'

export interface Solvers {
  /** For small programmes, without duals. */
  readonly small: Solver
  /** For large ones, and for duals. */
  readonly large: Solver
}

export function optimize(problem: Problem, { small }: Solvers): OptimizeAnswer {
  const models = contextModels(problem)
  const { result, better } = listed(models, problem)
  const modelOf = (layout: Layout) => modelFor(models, layout)
  const plans = result.candidates.map((candidate, index) =>
    assemble(modelOf(candidate), candidate, index + 1, small),
  )
  const [best] = result.candidates
  const unlaunchable = better && unlaunchablePlan(modelOf(better), better, plans[0] ?? null, small)
  const bound = best ? continuousBound(boundingModel(models), small) : null
  return {
    plans,
    unlaunchable,
    search: {
      enumerated: result.enumerated,
      pruned: result.pruned,
      evaluated: result.evaluated,
      infeasible: result.infeasible,
      lowerBoundSeconds: bound?.lowerBoundSeconds ?? null,
      gap: bound && plans[0] ? plans[0].stepTimeSeconds / bound.lowerBoundSeconds - 1 : null,
      exact: true,
    },
    sensitivity: best ? sensitivity(modelOf(best), best, launchable(modelOf(best))) : null,
    infeasible: best ? null : nothing(problem, result, modelOf, unlaunchable, small),
    model: modelSummary(problem, problem.workload.sequenceLength),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: warnings(problem, plans[0] ?? null),
  }
}

/** What can be launched, and the best of all where that is better: a second search, which the first bounds. */
function listed(
  models: readonly CostModel[],
  { top }: Problem,
): { readonly result: SearchResult; readonly better: Candidate | null } {
  const filtered = models.some((model) => launchable(model) !== null)
  const result = searchAll(models, top, launchable)
  if (!filtered) return { result, better: null }
  const [first] = result.candidates
  const all = searchAll(models, 1, undefined, first?.score)
  const [better] = all.candidates
  if (better && !(first && first.score <= better.score)) return { result, better }
  return { result: first ? result : all, better: null }
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
): NoPlan {
  if (!unlaunchable) return noPlan(problem, result, nearestPlan(modelOf, result.nearest, solver))
  return noLaunch(problem, result.infeasible.constraint, anythingListed)
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
