/**
 * A rule about parts of a written plan. A search reads only `broken`; whoever wrote the plan also learns where it is
 * broken, why, and what would be legal instead.
 */
import { type Rule, saidOf } from './rule.ts'

/** Sets `value` at `pointer` in the request; null removes what is there. */
export interface Change {
  readonly pointer: string
  readonly value: unknown
}

/** Changes that have to be made together. */
export type Way = readonly Change[]

export interface PartRule<Read, Part extends string = string> extends Rule<Read> {
  /** Parts of the plan that the rule looks at: a search tests the rule as soon as these are chosen. */
  readonly reads: readonly Part[]
  /** JSON pointer to the part at fault. */
  readonly pointer: string | ((read: Read) => string)
  /** Ways to satisfy the rule, in ascending order of the value at `pointer`. */
  readonly nearest?: (read: Read) => readonly Way[]
}

export interface PlanFault {
  readonly pointer: string
  readonly detail: string
  /** Ways to remove the fault. */
  readonly nearest?: readonly Way[]
}

/** Faults for all broken rules, each with its ways out: those that are legal, or all where none is asked. */
export function partFaults<Read>(
  rules: readonly PartRule<Read>[],
  read: Read,
  isLegal: (way: Way, rule: PartRule<Read>) => boolean = () => true,
): readonly PlanFault[] {
  return rules
    .filter(({ broken }) => broken(read))
    .map((rule) => {
      const { says, pointer, nearest } = rule
      const ways = (nearest?.(read) ?? []).filter((way) => isLegal(way, rule))
      return {
        pointer: saidOf(pointer, read),
        detail: saidOf(says, read),
        ...(ways.length > 0 ? { nearest: ways } : {}),
      }
    })
}

/** The way that removes a part of the plan, so that it is chosen by the search. */
export function leftOut(part: string): readonly Way[] {
  return [[{ pointer: `/plan/${part}`, value: null }]]
}

/**
 * Of ways that change a number, keeps the next smaller and the next larger one, that of the ratio nearest to one first, and powers of two before others
 * that are as near; keeps all ways otherwise.
 * Chips come in powers of two, and so do the parts that frameworks are run with: tensor 3 is legal for 24 heads, and nobody's.
 */
export function nextTo({ nearest = [], ...fault }: PlanFault, current: unknown): PlanFault {
  if (nearest.length === 0) return fault
  if (typeof current !== 'number') return { ...fault, nearest }
  const values = nearest.map((way) => way.find(({ pointer }) => pointer === fault.pointer)?.value)
  if (values.some((value) => typeof value !== 'number')) return { ...fault, nearest }
  const sized = nearest.map((way, at) => ({ way, size: Number(values[at]) }))
  const below = usual(sized.filter(({ size }) => size < current).reverse())
  const above = usual(sized.filter(({ size }) => size > current))
  const next = [below, above].flatMap((found) => (found ? [found] : []))
  const off = ({ size }: (typeof next)[number]) => Math.abs(Math.log2(size / current))
  return { ...fault, nearest: next.toSorted((a, b) => off(a) - off(b)).map(({ way }) => way) }
}

/** The nearest, or a power of two that is at most twice as far off. */
function usual<Sized extends { readonly size: number }>(sized: readonly Sized[]): Sized | undefined {
  const [first] = sized
  const near = ({ size }: Sized) => Math.abs(Math.log2(size / (first?.size ?? size))) <= 1
  return sized.find((one) => one.size > 1 && Number.isInteger(Math.log2(one.size)) && near(one)) ?? first
}

/** For example `tensor 8, data 4`; `no placement` for a part that is removed. */
export function wayText(way: Way): string {
  return way
    .map(({ pointer, value }) => {
      const part = pointer.split('/').at(-1)
      return value === null ? `no ${part}` : `${part} ${value}`
    })
    .join(', ')
}
