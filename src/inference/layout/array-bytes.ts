/** Bytes of an element of an array in inference. */
import { arrayType } from '../../cost/compile/compile.ts'
import { parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { indexKeyBytes } from '../../model/position-index.ts'
import { convolutionElementBytes, stateElementBytes } from '../../model/recurrence.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { ShardedArray } from '../../sharding/array.ts'
import type { ArrayRole } from '../../sharding/roles.ts'
import type { Bytes } from '../../units.ts'

/** Caches in a type of their own, whatever that of keys and values. */
const ownBytes: Readonly<Partial<Record<ArrayRole, Bytes>>> = {
  ...{ index: indexKeyBytes, state: stateElementBytes, last: convolutionElementBytes },
}

export function arrayBytes(precision: Precision, { kind, part, role }: ShardedArray): Bytes {
  if (kind === 'weight') return parameterBytes(precision, part)
  return (kind === 'cache' ? ownBytes[role] : undefined) ?? elementBytes[arrayType(kind, precision)]
}
