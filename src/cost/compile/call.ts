/**
 * One call of the network, with the request's numbers in: of training (compile.ts) and of inference, whose terms differ in how
 * they round what does not divide, and so in type.
 */
import type { AxisSet } from '../../sharding/axis.ts'
import type { Move, Operation } from '../../sharding/move.ts'

export interface Call<Term> {
  readonly operation: Operation
  readonly over: AxisSet
  /** Its arrays as the group sees them, in bytes. */
  readonly bytes: readonly Term[]
  /** The next product waits for it (an activation), or it was known before (a weight, a gradient). */
  readonly critical: boolean
  /** Copies of tokens, on their way to experts or back. */
  readonly routed: boolean
  /** Keys on their way around a ring, and their gradients. */
  readonly passed: boolean
  /** How often a layer has it: the share of the layers that do. */
  readonly times: number
  readonly moves: readonly Move[]
}
