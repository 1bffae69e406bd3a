/** A type of numbers, by its name. */
import { type ElementType, elements } from './element-types.ts'
import { rowsByName } from './rows.ts'

export const elementTypes: readonly ElementType[] = elements.map(({ name }) => name)

export const elementRow = rowsByName<(typeof elements)[number]>(elements)

/** Bytes of one element, with the scales that are part of its format. */
export const elementBytes = Object.fromEntries(elements.map(({ name, bytes }) => [name, bytes])) as Readonly<
  Record<ElementType, number>
>

/** What numbers are in that nobody says anything of, and what those in less are unpacked to. */
export const usualType: ElementType = 'bf16'

/** Less than 16 bits: what comes of quantisation. */
export function isNarrow(type: ElementType): boolean {
  return elementBytes[type] < elementBytes[usualType]
}
