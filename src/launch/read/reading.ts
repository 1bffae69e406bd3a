/** What a launch file says, in the words of a request; what it is silent of is left out. */
import type { Framework } from '../framework.ts'

export interface LaunchReading {
  readonly framework: Framework
  /** That the names were checked against. */
  readonly version: string
  /** Dimensions of a model, its vocabulary perhaps left out; null where it does not say them. */
  readonly model: Readonly<Record<string, unknown>> | null
  readonly hardware: { readonly chips?: number }
  readonly workload: Readonly<Record<string, unknown>>
  readonly precision: Readonly<Record<string, string>>
  readonly assumptions: Readonly<Record<string, boolean>>
  readonly plan: Readonly<Record<string, unknown>>
  /** Counted otherwise than it is written, or as if it were there. */
  readonly notes: readonly string[]
  /** Known, and without a say in how a model is laid out. */
  readonly ignored: readonly string[]
  readonly notUnderstood: readonly string[]
  /** Why it cannot be read. */
  readonly faults: readonly string[]
}
