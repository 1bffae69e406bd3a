/** The service in one page: a problem in, ranked plans out. */
import type { Solver } from '../solvers/linear-program.ts'
import type { CostModel } from './cost/model.ts'
import { placements } from './hardware/placement.ts'
import { assemble } from './plan/assemble.ts'
import { launchable } from './plan/launch.ts'
import { modelSummary } from './plan/model-summary.ts'
import { noPlan } from './plan/no-plan.ts'
import type { OptimizeAnswer, Plan } from './plan/plan.ts'
import { sensitivity } from './plan/sensitivity.ts'
import { warnings } from './plan/warnings.ts'
import type { Problem } from './problem.ts'
import type { Accepts, Candidate, Layout, Misfit } from './search/candidate.ts'
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
  const result = listed(models, problem)
  const modelOf = (layout: Layout) => modelFor(models, layout)
  const plans = result.candidates.map((candidate, index) =>
    assemble(modelOf(candidate), candidate, index + 1, small),
  )
  const [best] = result.candidates
  const bound = best ? continuousBound(boundingModel(models), small) : null
  return {
    plans,
    search: {
      enumerated: result.enumerated,
      pruned: result.pruned,
      evaluated: result.evaluated,
      infeasible: result.infeasible,
      lowerBoundSeconds: bound?.lowerBoundSeconds ?? null,
      gap: bound && plans[0] ? plans[0].stepTimeSeconds / bound.lowerBoundSeconds - 1 : null,
      exact: true,
    },
    sensitivity: best ? sensitivity(modelOf(best), best, acceptsOf(modelOf(best), best)) : null,
    infeasible: best ? null : noPlan(problem, result, nearestPlan(modelOf, result.nearest, small)),
    model: modelSummary(problem, problem.workload.sequenceLength),
    hardware: problem.cluster,
    precision: problem.precision,
    assumptions: problem.assumptions,
    warnings: warnings(problem, plans[0] ?? null),
  }
}

/** Plans that can be launched; where none can, all the same what fits. */
function listed(models: readonly CostModel[], { top, assumptions }: Problem): SearchResult {
  const result = searchAll(models, top, launchable)
  const none = assumptions.frameworks.length > 0 && result.candidates.length === 0
  return none ? searchAll(models, top) : result
}

/** As the plan was found: where none can be launched, among all. */
function acceptsOf(model: CostModel, best: Candidate): Accepts | null {
  const accepts = launchable(model)
  return accepts?.mesh(best.mesh) && accepts.plan(best) ? accepts : null
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
