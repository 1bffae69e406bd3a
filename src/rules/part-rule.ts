/**
 * A rule of what a plan says, with the part of the plan that it speaks of. A search reads `broken` alone; whoever wrote the plan is told the
 * rest: where, why, and what would be legal instead.
 */
import type { Rule } from './rule.ts'

/** `value` at `pointer` of the request; null takes away what is there. */
export interface Change {
  readonly pointer: string
  readonly value: unknown
}

/** Changes that are made together, one after the other. */
export type Way = readonly Change[]

export interface PartRule<Read, Part extends string = string> extends Rule<Read> {
  /** The parts that it looks at: a search asks it as soon as these are bound. */
  readonly reads: readonly Part[]
  /** The one to point at. */
  readonly pointer: string | ((read: Read) => string)
  /** Ways in each of which it would not be broken, in ascending order of what it points at. */
  readonly nearest?: (read: Read) => readonly Way[]
}

export interface PlanFault {
  readonly pointer: string
  readonly detail: string
  /** Ways in each of which the fault is removed. */
  readonly nearest?: readonly Way[]
}

/** What is said of each rule that is broken, with those ways out of it that are legal. */
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

/** The part of a plan is left out, so that it is chosen. */
export function leftOut(part: string): readonly Way[] {
  return [[{ pointer: `/plan/${part}`, value: null }]]
}

/** Of ways to other numbers the next smaller and the next larger; all, where it is no number that is at fault. */
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

/** `tensor 8, data 4`; what is taken away is left out. */
export function wayText(way: Way): string {
  return way
    .map(({ pointer, value }) => {
      const part = pointer.split('/').at(-1)
      return value === null ? `no ${part}` : `${part} ${value}`
    })
    .join(', ')
}
