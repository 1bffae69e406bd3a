/**
 * One call of the network, with the request's numbers in. Training (compile.ts) and inference round in different ways what does
 * not divide, so their terms differ in type.
 */
import type { ArrayKind } from '../../sharding/array.ts'
import { type AxisSet, axisSet } from '../../sharding/axis.ts'
import type { Move, Way } from '../../sharding/move.ts'
import type { ExpertTensor } from '../communication/expert-tensor.ts'

export interface Call<Term> {
  readonly operation: Way
  readonly over: AxisSet
  /** Bytes of its arrays as the group sees them. */
  readonly bytes: readonly Term[]
  /** Whether the next product waits for it (an activation), or it was known before (a weight, a gradient). */
  readonly critical: boolean
  /** Whether it carries copies of tokens to their experts or back. */
  readonly routed: boolean
  /** Only where tensor ranks hold experts so; on every mesh when absent. */
  readonly held?: ExpertTensor
  /** Whether it passes keys, or their gradients, around a ring. */
  readonly passed: boolean
  /** Whether it gathers weights, or scatters gradients, anew in every microbatch. */
  readonly gathered: boolean
  /** How often a layer has it, on average: the share of the layers that do. */
  readonly times: number
  readonly moves: readonly Move[]
}

/** Makes one call of moves of one operation over the same axes; `bytes` gives the bytes of a move. */
export function callOf<Term>(moves: readonly [Move, ...Move[]], bytes: (move: Move) => Term): Call<Term> {
  const [{ operation, over, kind, every }] = moves
  const passed = kind === 'passed'
  return {
    operation: passed ? 'Ring' : operation,
    over: axisSet(over),
    bytes: moves.map(bytes),
    critical: isWaitedFor(kind),
    routed: operation === 'AllToAll' && (kind === 'dispatch' || kind === 'combine'),
    passed,
    gathered: every === 'microbatch' && (kind === 'weight' || kind === 'gradient'),
    times: 1,
    moves,
  }
}

/** Whether the next product waits for an array of this kind; weights and gradients are known before, or wanted later. */
export function isWaitedFor(kind: ArrayKind): boolean {
  return kind !== 'weight' && kind !== 'gradient' && kind !== 'passed'
}
