/** The element types in which the arrays of a layer are kept and moved. */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Precision } from '../../problem.ts'
import { isNarrow, usualType } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { ArrayKind } from '../../sharding/array.ts'

/** Type of activations: 16 bits where matmuls run in less, as frameworks cast at the matmul. */
export function activationType(precision: Precision): ElementType {
  return isNarrow(precision.compute) ? usualType : precision.compute
}

/** Type in which training moves an array: its own, but for tokens on their way to experts that are cast once they are there. */
export function movedType(
  kind: ArrayKind,
  precision: Precision,
  { narrowDispatch }: Assumptions,
): ElementType {
  return kind === 'dispatch' && !narrowDispatch ? activationType(precision) : arrayType(kind, precision)
}

/** Type in which an array is stored, and moved in inference. */
export function arrayType(kind: ArrayKind, precision: Precision): ElementType {
  if (kind === 'weight') return precision.weights
  if (kind === 'cache') return precision.kvCache
  // Where experts multiply in less, tokens are cast before they are sent (DeepSeek-V3, arXiv 2412.19437, section 3.3).
  if (kind === 'dispatch') return precision.compute
  return kind === 'gradient' ? precision.gradients : activationType(precision)
}
