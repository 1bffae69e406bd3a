/**
 * A rule about parts of a written plan. A search reads only `broken`; whoever wrote the plan also learns where it is
 * broken, why, and what would be legal instead.
 */
import type { Rule } from './rule.ts'

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

/** Faults for all broken rules, each with its legal ways out. */
export function partFaults<Read>(
  rules: readonly PartRule<Read>[],
  read: Read,
  isLegal: (way: Way, rule: PartRule<Read>) => boolean,
): readonly PlanFault[] {
  return rules
    .filter(({ broken }) => broken(read))
    .map((rule) => {
      const { says, pointer, nearest } = rule
      const ways = (nearest?.(read) ?? []).filter((way) => isLegal(way, rule))
      return {
        pointer: typeof pointer === 'string' ? pointer : pointer(read),
        detail: typeof says === 'string' ? says : says(read),
        ...(ways.length > 0 ? { nearest: ways } : {}),
      }
    })
}

/** The way that removes a part of the plan, so that it is chosen by the search. */
export function leftOut(part: string): readonly Way[] {
  return [[{ pointer: `/plan/${part}`, value: null }]]
}

/** Keeps only the next smaller and the next larger value of ways that change a number; keeps all ways otherwise. */
export function nextTo({ nearest = [], ...fault }: PlanFault, current: unknown): PlanFault {
  if (nearest.length === 0) return fault
  if (typeof current !== 'number') return { ...fault, nearest }
  const valueIn = (way: Way) => way.find(({ pointer }) => pointer === fault.pointer)?.value
  const numbers = nearest.filter((way) => typeof valueIn(way) === 'number')
  if (numbers.length < nearest.length) return { ...fault, nearest }
  const below = numbers.filter((way) => Number(valueIn(way)) < current).at(-1)
  const above = numbers.find((way) => Number(valueIn(way)) > current)
  return { ...fault, nearest: [below, above].filter((way) => way !== undefined) }
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
