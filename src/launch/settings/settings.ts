/**
 * Options of a framework as a table, a row each under the field that it says: what is written of a plan, and how it is read of a command,
 * with what it is where it does not stand. Rows are in the order in which they are written. One that only carries out what others
 * say is written, and has no say when it is read.
 */
import type { Options } from '../read/options.ts'

/** What stands behind an option; true of a switch that is on, nothing where a plan does not need it. */
type Written = string | number | boolean | null

type Read<Value> = (options: Options, option: string) => Value

export interface Setting<Plan, Value> {
  readonly option: string
  readonly of: (plan: Plan) => Written
  /** Null of one without a say. */
  readonly read: Read<Value> | null
  /** Other spellings. */
  readonly also: readonly string[]
}

export type Settings<Plan> = Readonly<Record<string, Setting<Plan, unknown>>>

export type Said<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<never, infer Value> ? Value : never
}

export function setting<Plan, Value = undefined>(
  option: string,
  of: (plan: Plan) => Written,
  read: Read<Value> | null = null,
  ...also: readonly string[]
): Setting<Plan, Value> {
  return { option, of, read, also }
}

/** Of ranks, that are written where they are more than one. */
export function several(count: number): number | null {
  return count > 1 ? count : null
}

export const ranks: Read<number> = (options, option) => options.whole(option) ?? 1
export const whole: Read<number | null> = (options, option) => options.whole(option)
export const number: Read<number | null> = (options, option) => options.number(option)
export const word: Read<string | null> = (options, option) => options.text(option)
export const given: Read<boolean> = (options, option) => options.has(option)

export function written<Plan>(table: Settings<Plan>, plan: Plan): readonly string[] {
  return Object.values(table).flatMap(({ option, of }) => {
    const value = of(plan)
    if (value === null || value === false) return []
    return value === true ? [option] : [option, String(value)]
  })
}

/** Takes what it reads; what nobody took is left. */
export function said<Table extends Settings<never>>(table: Table, options: Options): Said<Table> {
  const read = Object.entries(table).map(([name, row]) => [name, row.read?.(options, row.option)] as const)
  return Object.fromEntries(read) as Said<Table>
}

/** The one spelling of each by the others. */
export function spellings(table: Settings<never>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.values(table).flatMap(({ option, also }) => also.map((one) => [one, option])),
  )
}

/** Those without a say. */
export function unread(table: Settings<never>): readonly string[] {
  return Object.values(table).flatMap(({ option, read }) => (read ? [] : [option]))
}
