/**
 * What a chip computes in. A chip that says `fp4` multiplies blocks in four bits whatever scales they have (Blackwell:
 * NVFP4 and MXFP4 alike); one that says `mxfp4` or `nvfp4` multiplies these alone (CDNA 4 has the OCP's MX formats
 * alone: AMD, "Introducing AMD CDNA 4 Architecture").
 */
import type { FlopsPerSecond } from '../units.ts'
import type { Chip, ElementType } from './chip.ts'

/** Names under which a chip may have the arithmetic of a type, best first; only its own where absent. */
const names: Readonly<Partial<Record<ElementType, readonly ElementType[]>>> = {
  fp4: ['fp4', 'nvfp4', 'mxfp4'],
  mxfp4: ['mxfp4', 'fp4'],
  nvfp4: ['nvfp4', 'fp4'],
}

/** Undefined where the chip does not compute in the type. */
export function peakOf(
  { peakFlopsPerSecond }: Pick<Chip, 'peakFlopsPerSecond'>,
  type: ElementType,
): FlopsPerSecond | undefined {
  const name = (names[type] ?? [type]).find((one) => peakFlopsPerSecond[one] !== undefined)
  return name && peakFlopsPerSecond[name]
}

/** The type without what its format says of scales. */
export function plainType(type: ElementType): ElementType {
  return type === 'mxfp4' || type === 'nvfp4' ? 'fp4' : type
}
