/**
 * A product of extents over a product of axis sizes: bytes and FLOPs before numbers are known.
 *
 *   value = coefficient · Π extents / Π axis sizes
 *
 * Key-value heads cannot be split below one: where K is an extent and more than K shards divide it, heads are
 * replicated, and the value is larger than the division says (`replicated`).
 */
import { type Axis, type AxisSet, axisSet } from './axis.ts'

export interface Monomial {
  readonly coefficient: number
  readonly extents: readonly string[]
  readonly divide: AxisSet
  readonly replicated: boolean
}

export type Extents = Readonly<Record<string, number>>

export function monomial(coefficient: number, extents: readonly string[], divide: readonly Axis[]): Monomial {
  return { coefficient, extents, divide: axisSet(divide), replicated: extents.includes('K') }
}

/** The numerator alone; the axis sizes are divided out for each mesh. */
export function numerator(value: Monomial, sizes: Extents): number {
  return value.extents.reduce((product, extent) => {
    const size = sizes[extent]
    if (size === undefined) throw new RangeError(`No size for the dimension ${extent}`)
    return product * size
  }, value.coefficient)
}
