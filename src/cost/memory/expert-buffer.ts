/**
 * The room of a chip for what its experts are sent. Most software makes buffers for as many copies of tokens as come. MaxText makes them before it knows:
 * for a factor times an even share, or for the most that can come. What experts read, keep and make has that many rows, used or not.
 * Source: AI-Hypercomputer/maxtext e591f30, src/maxtext/layers/moe.py (get_ragged_buffer_size).
 */
import type { Problem } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { ShardedArray } from '../../sharding/array.ts'
import { axisBit, axisSet } from '../../sharding/axis.ts'
import { elementsOf } from '../../sharding/elements.ts'
import type { Extents } from '../../sharding/monomial.ts'
import type { LayerPart } from '../../sharding/tables/training-layout.ts'
import { activationType } from '../compile/array-type.ts'
import { bufferedTerm, type Term, termOf } from '../compile/term.ts'

/** `times` an array's elements, with the room that it has where it is of copies of tokens on their experts' chips. */
export function bufferedOf(array: ShardedArray, extents: Extents, times: number): Term {
  const term = termOf(elementsOf(array), extents, times)
  return isOnExperts(array) ? bufferedTerm(term) : term
}

/** What experts make before it goes back, which is live beside what they read where a chip has room for more than comes. */
export function madeTerms(
  parts: readonly LayerPart[],
  extents: Extents,
  { precision, assumptions }: Pick<Problem, 'precision' | 'assumptions'>,
): readonly Term[] {
  if (assumptions.expertBufferFactor === 1) return []
  const size = elementBytes[activationType(precision)]
  return parts.flatMap(({ component, times }) =>
    Object.values(component.arrays)
      .filter((array) => array.kind === 'combine' && isOnExperts(array))
      .map((array) => bufferedOf(array, extents, times * size)),
  )
}

function isOnExperts({ dimensions }: ShardedArray): boolean {
  return dimensions.some(({ label, axes }) => label === 'A' && (axisSet(axes) & axisBit.expert) !== 0)
}
