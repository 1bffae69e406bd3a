/** Bytes of an element of an array in inference. */
import { arrayType } from '../../cost/compile/array-type.ts'
import { parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { cacheElementBytes } from '../../model/cache-type.ts'
import { indexKeyBytes } from '../../model/position-index.ts'
import { convolutionElementBytes, stateElementBytes } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { ShardedArray } from '../../sharding/array.ts'
import type { ArrayRole } from '../../sharding/roles.ts'
import type { Bytes } from '../../units.ts'

/** Caches in a type of their own, whatever that of keys and values. */
const ownBytes: Readonly<Partial<Record<ArrayRole, Bytes>>> = {
  ...{ index: indexKeyBytes, state: stateElementBytes, last: convolutionElementBytes },
}

export function arrayBytes(
  precision: Precision,
  model: Transformer,
  { kind, part, role }: ShardedArray,
): Bytes {
  if (kind === 'weight') return parameterBytes(precision, part)
  if (kind === 'cache') return ownBytes[role] ?? cacheElementBytes(model, precision.kvCache)
  return elementBytes[arrayType(kind, precision)]
}
