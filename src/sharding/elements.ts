/** Number of elements of an array on one chip: its extents over the axes that shard it. */
import { axesOfArray, type ShardedArray } from './array.ts'
import { type Monomial, monomial } from './monomial.ts'

export function elementsOf(array: ShardedArray): Monomial {
  return monomial(
    1,
    array.dimensions.map(({ extent }) => extent),
    axesOfArray(array),
  )
}
