/** A request with everything looked up: a problem with its mode. Also the answers that it may get. */
import type { Framework } from '../launch/framework.ts'
import type { EvaluateAnswer, IllegalPlan, OptimizeAnswer } from '../plan/answer.ts'
import type { InferenceAnswer, InferencePlan, ServeAnswer, ServePlan } from '../plan/inference-plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { InferenceSketch, PlanSketch, ServeSketch } from '../plan-sketch.ts'
import type { GenerateProblem, PrefillProblem, Problem, ServeProblem } from '../problem.ts'
import type { Requirements } from '../validation/check.ts'
import type { CostedWith } from '../validation/costed-with.ts'

interface Training {
  readonly mode: 'train'
  readonly problem: Problem
}

interface Prefill {
  readonly mode: 'prefill'
  readonly problem: PrefillProblem
}

interface Generation {
  readonly mode: 'generate'
  readonly problem: GenerateProblem
}

interface Serving {
  readonly mode: 'serve'
  readonly problem: ServeProblem
}

export type Question = Training | Prefill | Generation | Serving

export type Answer = OptimizeAnswer | InferenceAnswer | ServeAnswer

/** A question about a written plan. */
export type Trial = (
  | (Training & { readonly sketch: PlanSketch })
  | ((Prefill | Generation) & { readonly sketch: InferenceSketch })
  | (Serving & { readonly sketch: ServeSketch })
) & {
  /** What this plan alone is costed with; `problem` has what others are. */
  readonly costedWith?: CostedWith
  /** The framework whose launch file the plan was read from, if it is one that plans are written for. */
  readonly file?: Framework
}

/** A plan and the requirements that it is checked against. */
export interface Inspection {
  readonly trial: Trial
  readonly require: Requirements
}

export type Verdict = EvaluateAnswer<Plan | InferencePlan | ServePlan> | IllegalPlan
