/**
 * The rule for a sharded einsum C = A · B. Each mesh axis on an operand
 *
 *   1. is kept where C declares it on the same, uncontracted dimension;
 *   2. is summed where both operands have it on the same contracted dimension: the product is then unreduced over it;
 *   3. is otherwise gathered: the operand is gathered over it first.
 *
 * Source: "How To Scale Your Model", chapter 3 (its four cases are these, per axis).
 */
import { axesOfArray, labelOf, type ShardedArray, without } from './array.ts'
import type { Axis } from './axis.ts'

export interface LocalProduct {
  /** Axes over which each operand has to be gathered first. */
  readonly gatherLeft: readonly Axis[]
  readonly gatherRight: readonly Axis[]
  /** Axes over which the local product is a partial sum. */
  readonly unreduced: readonly Axis[]
  /** Axes that divide the work of the product. */
  readonly divided: readonly Axis[]
}

export function localProduct(out: ShardedArray, left: ShardedArray, right: ShardedArray): LocalProduct {
  const gatherLeft = gathered(out, left, right)
  const gatherRight = gathered(out, right, left)
  const leftNow = without(left, gatherLeft)
  const rightNow = without(right, gatherRight)
  const unreduced = axesOfArray(leftNow).filter(
    (axis) => isContracted(out, leftNow, axis) && rightHas(rightNow, axis),
  )
  const divided = [...new Set([...axesOfArray(leftNow), ...axesOfArray(rightNow)])]
  return { gatherLeft, gatherRight, unreduced, divided }

  function rightHas(array: ShardedArray, axis: Axis): boolean {
    return labelOf(array, axis) === labelOf(leftNow, axis)
  }
}

function gathered(out: ShardedArray, operand: ShardedArray, other: ShardedArray): readonly Axis[] {
  return axesOfArray(operand).filter((axis) => {
    const label = labelOf(operand, axis)
    const kept = labelOf(out, axis) === label
    const summed = isContracted(out, operand, axis) && labelOf(other, axis) === label
    return !kept && !summed
  })
}

function isContracted(out: ShardedArray, operand: ShardedArray, axis: Axis): boolean {
  const label = labelOf(operand, axis)
  return !out.dimensions.some((dimension) => dimension.label === label)
}
