/** One check of a plan, with its result: complete in itself, so that a report needs no plan to show it. */
import type { Framework } from '../launch/framework.ts'
import type { InFile } from '../launch/in-file.ts'
import type { Suggestion } from '../plan/answer.ts'
import { secondsText } from '../plan/explain/figures.ts'
import type { Plan } from '../plan/plan.ts'
import type { Change } from '../rules/part-rule.ts'

/** Requirements on a plan beyond being legal. */
export interface Requirements {
  /** Whether it has to fit into the memory budget; default true. */
  readonly fits?: boolean
  /** Whether the framework has to know all options of the launch file; default true. */
  readonly understood?: boolean
  readonly minMfu?: number
  readonly maxStepSeconds?: number
  /** How much longer its step may take than that of the best plan under the request's constraints, as a fraction. */
  readonly withinOfBest?: number
  /** Bottlenecks, or parts of the network, that must not be what bounds it. */
  readonly notBoundBy?: readonly string[]
  /** Frameworks that all have to be able to launch it; of a launch file, its own by default. */
  readonly launchableBy?: readonly Framework[]
}

export interface Check {
  readonly name: string
  readonly ok: boolean
  /** Pointer into the request: to the plan's field that a rule is about, or to the requirement. */
  readonly pointer: string
  readonly expected: string | number
  readonly actual: string | number
  readonly message: string
  /** Changes to the request that each make the check pass, the smallest first. */
  readonly nearest?: readonly Remedy[]
}

export interface Remedy {
  readonly detail: string
  readonly changes: readonly Change[]
  /** Where the plan was a launch file: what the changes mean there. */
  readonly inFile?: InFile
}

/** What requirements are checked against. */
export interface Findings<Found = Plan> {
  readonly evaluation: { readonly plan: Found; readonly suggestions?: readonly Suggestion[] }
  /** Of the plans that the constraints allow and the frameworks launch, the preferred one of those tied with the fastest; null if none fits. */
  readonly best: Found | null
  readonly fastest: Found | null
  /** Whether the plan counts as running: it fits, or the request does not ask whether it does. */
  readonly runs: boolean
  /** Whether `best` is proven to be the best; false if the search had to stop early. */
  readonly exact: boolean
  readonly ranking: Ranking<Found>
  /** Plans that differ from the written one in one thing that it says, all of which run. */
  readonly oneChange: () => readonly { readonly remedy: Remedy; readonly plan: Found }[]
}

/** Result for one requirement; null if the requirement asks nothing (`fits: false`). */
export type Outcome = Omit<Check, 'name' | 'pointer'> & { readonly pointer?: string }

/** The requirements that a mode has, in the order of the report. */
export type RequirementRows<Found> = {
  readonly [Name in keyof Required<Requirements>]?: (
    asked: NonNullable<Requirements[Name]>,
    findings: Findings<Found>,
  ) => Outcome | null
}

/** How plans are compared: by step time if they hold equally many sequences, otherwise by time per sequence. */
export interface Ranking<Found = Plan> {
  readonly says: string
  /** Lower is better. */
  readonly measure: (plan: Found) => number
  readonly text: (measure: number) => string
}

export const byStep: Ranking = {
  says: 'A step takes',
  measure: ({ stepTimeSeconds }) => stepTimeSeconds,
  text: secondsText,
}
