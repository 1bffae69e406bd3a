/**
 * One call of the network, with the request's numbers in: of training (compile.ts) and of inference, whose terms differ in how
 * they round what does not divide, and so in type.
 */
import type { ArrayKind } from '../../sharding/array.ts'
import { type AxisSet, axisSet } from '../../sharding/axis.ts'
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
  /** Weights gathered, or gradients scattered, anew in every microbatch. */
  readonly gathered: boolean
  /** How often a layer has it: the share of the layers that do. */
  readonly times: number
  readonly moves: readonly Move[]
}

/** Moves of one operation over the same axes, as one call; `bytes` are a move's. */
export function callOf<Term>(moves: readonly [Move, ...Move[]], bytes: (move: Move) => Term): Call<Term> {
  const [{ operation, over, kind, every }] = moves
  return {
    operation,
    over: axisSet(over),
    bytes: moves.map(bytes),
    critical: isWaitedFor(kind),
    routed: operation === 'AllToAll' && (kind === 'dispatch' || kind === 'combine'),
    passed: kind === 'passed',
    gathered: every === 'microbatch' && (kind === 'weight' || kind === 'gradient'),
    times: 1,
    moves,
  }
}

/** The next product waits for it; weights and gradients were known before, or are wanted later. */
export function isWaitedFor(kind: ArrayKind): boolean {
  return kind !== 'weight' && kind !== 'gradient' && kind !== 'passed'
}
