/**
 * A framework's options as a table, one row for each field: how the option is written from a plan, and how it is read
 * from a command, with its value if it is absent. Rows are in the order in which they are written. An option that only
 * carries out what others say is written, but not read; one that our commands say in other ways is read, but not written.
 * What a plan may lack is a part of the table, with rows of its own.
 */
import type { Options } from '../read/options.ts'

/** Value of an option, or its values: true for a switch that is on; false, null or undefined to leave the option out. */
type Written = string | number | boolean | null | undefined | readonly (string | number)[]

type Read<Value> = (options: Options, option: string) => Value

export interface Setting<Plan, Value> {
  readonly option: string
  /** Null for an option that is not written. */
  readonly of: ((plan: Plan) => Written) | null
  /** Null for an option that is not read. */
  readonly read: Read<Value> | null
  /** Other spellings of the option. */
  readonly also: readonly string[]
}

export interface Part<Plan, Rows> {
  readonly rows: Rows
  readonly words: (plan: Plan) => readonly string[]
}

export interface Settings<Plan> {
  readonly [name: string]: Setting<Plan, unknown> | Part<Plan, Settings<never>>
}

export type Said<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<never, infer Value>
    ? Value
    : Table[Name] extends Part<never, infer Rows>
      ? Said<Rows>
      : never
}

export function setting<Plan, Value = undefined>(
  option: string,
  of: ((plan: Plan) => Written) | null,
  read: Read<Value> | null = null,
  ...also: readonly string[]
): Setting<Plan, Value> {
  return { option, of, read, also }
}

/** Rows about what `of` makes of a plan; where it makes nothing, none of them is written. */
export function part<Plan, Own, Rows extends Settings<Own>>(
  of: (plan: Plan) => Own | null | undefined,
  rows: Rows,
): Part<Plan, Rows> {
  const words = (plan: Plan) => {
    const own = of(plan)
    return own == null ? [] : written(rows, own)
  }
  return { rows, words }
}

/** A number of ranks, left out if it is 1. */
export function several(count: number): number | null {
  return count > 1 ? count : null
}

/** A count, and what it is where nothing is said. */
export function counted(otherwise: number): Read<number> {
  return (options, option) => options.whole(option) ?? otherwise
}

export const ranks = counted(1)
export const whole: Read<number | null> = (options, option) => options.whole(option)
export const number: Read<number | null> = (options, option) => options.number(option)

export function numberOr(otherwise: number): Read<number> {
  return (options, option) => options.number(option) ?? otherwise
}

export const word: Read<string | null> = (options, option) => options.text(option)
export const words: Read<readonly string[] | null> = (options, option) => options.values(option)
/** A switch, which takes no value. */
export const given: Read<boolean> = (options, option) => options.isOn(option)

export function written<Plan>(table: Settings<Plan>, plan: Plan): readonly string[] {
  return Object.values(table).flatMap((row) => {
    if ('rows' in row) return row.words(plan)
    const value = row.of?.(plan) ?? false
    if (value === false) return []
    return value === true ? [row.option] : [row.option, ...[value].flat().map(String)]
  })
}

/** Reads all options of a table; options that nobody reads are left over. */
export function said<Table extends Settings<never>>(table: Table, options: Options): Said<Table> {
  const read = Object.entries(table).map(
    ([name, row]) =>
      [name, 'rows' in row ? said(row.rows, options) : row.read?.(options, row.option)] as const,
  )
  return Object.fromEntries(read) as Said<Table>
}

/** All rows of a table, those of its parts too. */
export function rowsOf(table: Settings<never>): readonly Setting<never, unknown>[] {
  return Object.values(table).flatMap((row) => ('rows' in row ? rowsOf(row.rows) : [row]))
}

/** The main spelling for each other one. */
export function spellings(table: Settings<never>): Readonly<Record<string, string>> {
  return Object.fromEntries(rowsOf(table).flatMap(({ option, also }) => also.map((one) => [one, option])))
}

/** Options that are not read. */
export function unread(table: Settings<never>): readonly string[] {
  const rows = rowsOf(table)
  return rows.flatMap(({ option, read }) => (read ? [] : [option]))
}
