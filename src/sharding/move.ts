/**
 * Communication as the algebra derives it: one array that changes its sharding over some axes.
 *
 *   AllGather      V = the array after;  axes leave it
 *   ReduceScatter  V = the array before, not yet reduced;  axes appear on it
 *   AllReduce      V = the array;  a partial sum becomes a sum
 *   AllToAll       V = the array;  an axis changes its dimension
 *
 * V is what one group of the axes sees: divided by every other axis on the array.
 */
import {
  type ArrayKind,
  arrayNotation,
  axesOfArray,
  axisLetters,
  labelOf,
  type ShardedArray,
  without,
} from './array.ts'
import type { Axis } from './axis.ts'
import { elementsOf } from './elements.ts'
import type { Monomial } from './monomial.ts'

const operations = ['AllGather', 'ReduceScatter', 'AllReduce', 'AllToAll'] as const

export type Operation = (typeof operations)[number]

/** How the network carries a move: what is passed around a ring goes from chip to chip in n - 1 steps, in place of a gather or scatter. */
export type Way = Operation | 'Ring'

/** Everything that can move an array; Permute is what a pipeline stage uses to hand tokens on. */
export const movements = [...operations, 'Permute'] as const

export const passes = ['forward', 'backward', 'step'] as const

export type Pass = (typeof passes)[number]

export interface Move {
  readonly operation: Operation
  readonly over: readonly Axis[]
  readonly array: string
  readonly kind: ArrayKind
  readonly from: string
  readonly to: string
  /** Number of elements, not bytes: the precision is the request's. */
  readonly elements: Monomial
  /** The array whose elements are counted. */
  readonly volume: ShardedArray
  readonly pass: Pass
  /** Whether it happens in every microbatch or once a step. */
  readonly every: 'microbatch' | 'step'
}

type When = Pick<Move, 'pass' | 'every'>

export function allGather(array: ShardedArray, over: readonly Axis[], when: When): Move {
  const after = without(array, over)
  return move('AllGather', over, [arrayNotation(array), arrayNotation(after)], after, when)
}

/** `array` is the result, which is sharded over `over` among others. */
export function reduceScatter(array: ShardedArray, over: readonly Axis[], when: When): Move {
  const before = without(array, over)
  return move('ReduceScatter', over, [partial(before, over), arrayNotation(array)], before, when)
}

export function allReduce(array: ShardedArray, over: readonly Axis[], when: When): Move {
  return move('AllReduce', over, [partial(array, over), arrayNotation(array)], array, when)
}

/** The moves that take an array from one declared sharding to another; taking a slice is free. */
export function reshard(from: ShardedArray, to: ShardedArray, when: When): readonly Move[] {
  const leaving = axesOfArray(from).filter((axis) => labelOf(to, axis) === undefined)
  const turning = axesOfArray(from).filter((axis) => {
    const target = labelOf(to, axis)
    return target !== undefined && target !== labelOf(from, axis)
  })
  const turned = without(from, turning)
  const moves: Move[] = []
  if (turning.length > 0) {
    moves.push(move('AllToAll', turning, [arrayNotation(from), arrayNotation(to)], turned, when))
  }
  if (leaving.length > 0) moves.push(allGather(turned, leaving, when))
  return moves
}

function move(
  operation: Operation,
  over: readonly Axis[],
  [from, to]: readonly [string, string],
  volume: ShardedArray,
  when: When,
): Move {
  const { name, kind } = volume
  return { operation, over, array: name, kind, from, to, elements: elementsOf(volume), volume, ...when }
}

/** The book's notation for an array that is unreduced over Y, `{U_Y}`. */
function partial(array: ShardedArray, over: readonly Axis[]): string {
  return `${arrayNotation(array)}{U_${axisLetters(over)}}`
}

/** The move in the book's notation, such as `In[B_X, D] = AllGather_Y(In[B_X, D_Y])`. */
export function moveNotation({ operation, over, from, to }: Move): string {
  return `${to} = ${operation}_${axisLetters(over)}(${from})`
}
