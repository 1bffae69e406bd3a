/** The arithmetic that a chip has for an element type. */
import { elementRow } from '../recipe/element-type.ts'
import type { ElementType } from '../recipe/element-types.ts'
import type { FlopsPerSecond } from '../units.ts'
import type { Chip } from './chip.ts'

/** Peak FLOP/s in the type; undefined when the chip does not compute in it. */
export function peakOf(
  { peakFlopsPerSecond }: Pick<Chip, 'peakFlopsPerSecond'>,
  type: ElementType,
): FlopsPerSecond | undefined {
  const names: readonly ElementType[] = elementRow(type).multipliedAs
  const name = names.find((one) => peakFlopsPerSecond[one] !== undefined)
  return name && peakFlopsPerSecond[name]
}

/** Whether the chip's matmuls take a scale for a block of numbers: those of Blackwell, MI350 and later, which also multiply four bits. */
export function scalesBlocks({ peakFlopsPerSecond }: Pick<Chip, 'peakFlopsPerSecond'>): boolean {
  return peakFlopsPerSecond.fp4 !== undefined
}

/** The type without the scales of its format. */
export function plainType(type: ElementType): ElementType {
  return elementRow(type).plain
}
