/** What a request asks, resolved: a problem, and the mode that tells which kind it is; and what may come of it. */

import type { EvaluateAnswer, IllegalPlan, OptimizeAnswer } from '../plan/answer.ts'
import type {
  InferenceAnswer,
  InferenceEvaluation,
  ServeAnswer,
  ServeEvaluation,
} from '../plan/inference-plan.ts'
import type {
  GenerateWorkload,
  InferenceProblem,
  InferenceSketch,
  PlanSketch,
  PrefillWorkload,
  Problem,
  ServeSketch,
  ServeWorkload,
} from '../problem.ts'
import type { Requirements } from '../validation/check.ts'
import type { Hidden } from '../validation/hidden.ts'

interface Training {
  readonly mode: 'train'
  readonly problem: Problem
}

interface Prefill {
  readonly mode: 'prefill'
  readonly problem: InferenceProblem<PrefillWorkload>
}

interface Generation {
  readonly mode: 'generate'
  readonly problem: InferenceProblem<GenerateWorkload>
}

interface Serving {
  readonly mode: 'serve'
  readonly problem: InferenceProblem<ServeWorkload>
}

export type Question = Training | Prefill | Generation | Serving

export type Answer = OptimizeAnswer | InferenceAnswer | ServeAnswer

/** A question with the plan that it is about. */
export type Trial = (
  | (Training & { readonly sketch: PlanSketch })
  | ((Prefill | Generation) & { readonly sketch: InferenceSketch })
  | (Serving & { readonly sketch: ServeSketch })
) & {
  /** How others run, where the plan is a launch file that leaves out what hides communication. */
  readonly hidden?: Hidden
}

/** A plan, and what it has to be. */
export interface Inspection {
  readonly trial: Trial
  readonly require: Requirements
}

export type Verdict = EvaluateAnswer | InferenceEvaluation | ServeEvaluation | IllegalPlan
