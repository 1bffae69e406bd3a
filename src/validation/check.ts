/** One thing that a plan is held to, and whether it holds: what whoever reads a report of them needs, without the plan. */
import type { Framework } from '../launch/framework.ts'
import type { EvaluateAnswer } from '../plan/answer.ts'
import type { InferenceEvaluation } from '../plan/inference-plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { Change } from '../rules/part-rule.ts'
import type { Seconds } from '../units.ts'

/** What a plan has to be, beyond legal. */
export interface Requirements {
  /** Whether it has to fit into the memory budget: true unless it is said. */
  readonly fits?: boolean
  readonly minMfu?: number
  readonly maxStepSeconds?: number
  /** How much longer its step may be than that of the best plan under the request's constraints, as a share. */
  readonly withinOfBest?: number
  /** Bottlenecks that it may not have, and parts of the network that may not be one. */
  readonly notBoundBy?: readonly string[]
  /** Frameworks each of which has to be able to launch it. */
  readonly launchableBy?: readonly Framework[]
}

export interface Check {
  readonly name: string
  readonly ok: boolean
  /** Into the request: at the plan's field that a rule is about, or at the requirement. */
  readonly pointer: string
  readonly expected: string | number
  readonly actual: string | number
  readonly message: string
  /** Changes of the request with each of which the check holds, the smallest first. */
  readonly nearest?: readonly Remedy[]
}

export interface Remedy {
  readonly detail: string
  readonly changes: readonly Change[]
}

/** What there is to check a plan against. */
export interface Findings {
  readonly evaluation: EvaluateAnswer | InferenceEvaluation
  /** The best plan that frameworks launch and the request's constraints allow; null where none fits. */
  readonly best: Plan | null
  /** Whether it is taken to run: it fits, or nobody asks whether it does. */
  readonly runs: boolean
  /** Whether the best is the best of all: a search that had to stop has the best so far. */
  readonly exact: boolean
  readonly ranking: Ranking
}

/** By what plans are better than others: of two that hold as many sequences a step's time, else that of each sequence. */
export interface Ranking {
  readonly says: string
  readonly secondsOf: (plan: Plan) => Seconds
}

export const byStep: Ranking = { says: 'A step takes', secondsOf: ({ stepTimeSeconds }) => stepTimeSeconds }
