/** One thing that a plan is held to, and whether it holds: what whoever reads a report of them needs, without the plan. */
import type { Framework } from '../launch/framework.ts'
import type { Suggestion } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import type { Plan } from '../plan/plan.ts'
import type { Change } from '../rules/part-rule.ts'

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
export interface Findings<Found = Plan> {
  readonly evaluation: { readonly plan: Found; readonly suggestions?: readonly Suggestion[] }
  /** The best plan that frameworks launch and the request's constraints allow; null where none fits. */
  readonly best: Found | null
  /** Whether it is taken to run: it fits, or nobody asks whether it does. */
  readonly runs: boolean
  /** Whether the best is the best of all: a search that had to stop has the best so far. */
  readonly exact: boolean
  readonly ranking: Ranking<Found>
}

/** What is said of a requirement; null where nothing is asked after all. */
export type Outcome = Omit<Check, 'name' | 'pointer'> & { readonly pointer?: string }

/** A row for each requirement that a mode has, in the order in which a report has them. */
export type RequirementRows<Found> = {
  readonly [Name in keyof Required<Requirements>]?: (
    asked: NonNullable<Requirements[Name]>,
    findings: Findings<Found>,
  ) => Outcome | null
}

/** By what plans are better than others: of two that hold as many sequences a step's time, else that of each sequence. */
export interface Ranking<Found = Plan> {
  readonly says: string
  /** Less is better. */
  readonly measure: (plan: Found) => number
  readonly text: (measure: number) => string
}

export const byStep: Ranking = {
  says: 'A step takes',
  measure: ({ stepTimeSeconds }) => stepTimeSeconds,
  text: secondsText,
}
