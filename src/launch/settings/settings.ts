/**
 * A framework's options as a table, one row for each field: how the option is written from a plan, and how it is read
 * from a command, with its value if it is absent. Rows are in the order in which they are written. An option that only
 * carries out what others say is written, but not read.
 */
import type { Options } from '../read/options.ts'

/** Value of an option: true for a switch that is on; false or null to leave the option out. */
type Written = string | number | boolean | null

type Read<Value> = (options: Options, option: string) => Value

export interface Setting<Plan, Value> {
  readonly option: string
  readonly of: (plan: Plan) => Written
  /** Null for an option that is not read. */
  readonly read: Read<Value> | null
  /** Other spellings of the option. */
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

/** A number of ranks, left out if it is 1. */
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

/** Reads all options of a table; options that nobody reads are left over. */
export function said<Table extends Settings<never>>(table: Table, options: Options): Said<Table> {
  const read = Object.entries(table).map(([name, row]) => [name, row.read?.(options, row.option)] as const)
  return Object.fromEntries(read) as Said<Table>
}

/** The main spelling for each other one. */
export function spellings(table: Settings<never>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.values(table).flatMap(({ option, also }) => also.map((one) => [one, option])),
  )
}

/** Options that are not read. */
export function unread(table: Settings<never>): readonly string[] {
  return Object.values(table).flatMap(({ option, read }) => (read ? [] : [option]))
}
