/** What a chip computes in. */
import { elementRow } from '../recipe/element-type.ts'
import type { ElementType } from '../recipe/element-types.ts'
import type { FlopsPerSecond } from '../units.ts'
import type { Chip } from './chip.ts'

/** Undefined where the chip does not compute in the type. */
export function peakOf(
  { peakFlopsPerSecond }: Pick<Chip, 'peakFlopsPerSecond'>,
  type: ElementType,
): FlopsPerSecond | undefined {
  const names: readonly ElementType[] = elementRow(type).multipliedAs
  const name = names.find((one) => peakFlopsPerSecond[one] !== undefined)
  return name && peakFlopsPerSecond[name]
}

/** Whether its matmuls take a scale for a block of numbers: Blackwell, MI350 and later, which multiply four bits too. */
export function scalesBlocks({ peakFlopsPerSecond }: Pick<Chip, 'peakFlopsPerSecond'>): boolean {
  return peakFlopsPerSecond.fp4 !== undefined
}

/** The type without what its format says of scales. */
export function plainType(type: ElementType): ElementType {
  return elementRow(type).plain
}
