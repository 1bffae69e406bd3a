/** Element types, looked up by name. */
import { type ElementType, elements } from './element-types.ts'
import { rowsByName } from './rows.ts'

export const elementTypes: readonly ElementType[] = elements.map(({ name }) => name)

export const elementRow = rowsByName<(typeof elements)[number]>(elements)

/** Bytes of one element, with the scales that are part of its format. */
export const elementBytes = Object.fromEntries(elements.map(({ name, bytes }) => [name, bytes])) as Readonly<
  Record<ElementType, number>
>

/** The type of numbers of which nobody says anything, and the one that narrower numbers are unpacked to. */
export const usualType: ElementType = 'bf16'

/** Whether a type has less than 16 bits, as quantisation leaves it. */
export function isNarrow(type: ElementType): boolean {
  return elementBytes[type] < elementBytes[usualType]
}
