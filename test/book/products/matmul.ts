/** The book's plain matmul, and the batch at which chips are balanced between compute and bandwidth. */

import { book } from '../../../src/assumptions/book.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { crossing } from '../crossing.ts'
import { precisionOf } from '../precision.ts'
import { activation, einsum, type Shape, waitingOn, weight } from './einsum.ts'

/** So wide that tokens are nothing beside it: the book's B << D, F. */
export const wide = 2 ** 26

export const matmul = einsum(activation('B F'), activation('B D'), weight('D F'))
/** All arrays of the weights' element type: int8 matmuls that read and write int8. */
export const matmulInOneType = einsum(weight('B F'), weight('B D'), weight('D F'))

/** FLOPs per byte at which the chip is balanced. */
export function ridge(chip: Chip, type: ElementType): number {
  const { secondsPerByte, secondsPerFlop } = computeRates(chip, type, book)
  return secondsPerByte / secondsPerFlop
}

export function criticalBatch(
  chip: Chip,
  weights: ElementType = 'bf16',
  compute: ElementType = 'bf16',
  component = matmul,
): number {
  const precision = precisionOf(weights, compute)
  return batchOfNoWait(chip, (B) => ({ component, extents: { B, D: wide, F: wide }, precision }))
}

/** The batch from which a product no longer waits for HBM. */
export function batchOfNoWait(chip: Chip, shape: (batch: number) => Shape): number {
  return crossing((batch) => (waitingOn(chip, shape(batch)) > 0 ? -1 : 1), 1, 1e6)
}
