/**
 * The port's programme with defaults filled in and names replaced by positions, which scaling, certificate and engines
 * work on. Making one rejects invalid programmes.
 */
import type { LinearProgram, Row, Variable } from './linear-program.ts'

/** How close to a whole number a value has to be to count as that number. */
export const integralityTolerance = 1e-6

/** Bounds of an integer variable are whole. */
export interface IndexedVariable {
  readonly name: string
  readonly cost: number
  readonly lower: number
  readonly upper: number
  readonly integer: boolean
}

export interface Term {
  /** Position of the variable. */
  readonly column: number
  readonly coefficient: number
}

export interface IndexedRow {
  readonly name: string
  readonly terms: readonly Term[]
  readonly lower: number
  readonly upper: number
}

export interface IndexedProgram {
  readonly variables: readonly IndexedVariable[]
  readonly rows: readonly IndexedRow[]
}

/** Throws a RangeError if a name occurs twice, a term has no variable, or a number is not finite. */
export function indexedProgram({ variables, rows }: LinearProgram): IndexedProgram {
  const columns = positions(variables, 'variable')
  positions(rows, 'row')
  return { variables: variables.map(indexedVariable), rows: rows.map((row) => indexedRow(row, columns)) }
}

export function isMixedInteger({ variables }: IndexedProgram): boolean {
  return variables.some(({ integer }) => integer)
}

/** The same programme with changed variables, for example as a relaxation or without an objective. */
export function withVariables(
  { variables, rows }: IndexedProgram,
  change: (variable: IndexedVariable, column: number) => Partial<IndexedVariable>,
): IndexedProgram {
  return {
    variables: variables.map((variable, column) => ({ ...variable, ...change(variable, column) })),
    rows,
  }
}

function positions(items: readonly { readonly name: string }[], kind: string): ReadonlyMap<string, number> {
  const byName = new Map<string, number>()
  for (const [position, { name }] of items.entries()) {
    if (byName.has(name)) throw new RangeError(`two ${kind}s are named "${name}"`)
    byName.set(name, position)
  }
  return byName
}

function indexedVariable({
  name,
  cost,
  lower = 0,
  upper = Infinity,
  integer = false,
}: Variable): IndexedVariable {
  requireFinite(cost, `the cost of "${name}"`)
  requireBounds(lower, upper, name)
  if (!integer) return { name, cost, lower, upper, integer }
  return { name, cost, lower: wholeFrom(lower), upper: wholeTo(upper), integer }
}

/** A bound that arithmetic left slightly off a whole number means that number. */
function wholeFrom(lower: number): number {
  return Math.ceil(lower - integralityTolerance)
}

function wholeTo(upper: number): number {
  return Math.floor(upper + integralityTolerance)
}

function indexedRow(row: Row, columns: ReadonlyMap<string, number>): IndexedRow {
  const { name, lower = -Infinity, upper = Infinity } = row
  requireBounds(lower, upper, name)
  const terms: Term[] = []
  for (const [variable, coefficient] of Object.entries(row.terms)) {
    const column = columns.get(variable)
    if (column === undefined) throw new RangeError(`row "${name}" has a term of no variable: "${variable}"`)
    requireFinite(coefficient, `the coefficient of "${variable}" in row "${name}"`)
    if (coefficient !== 0) terms.push({ column, coefficient })
  }
  return { name, terms, lower, upper }
}

function requireFinite(value: number, what: string): void {
  if (!Number.isFinite(value)) throw new RangeError(`${what} is ${value}`)
}

/** Infinite bounds are allowed only on the side where they bound nothing. */
function requireBounds(lower: number, upper: number, name: string): void {
  if (Number.isNaN(lower) || lower === Infinity)
    throw new RangeError(`the lower bound of "${name}" is ${lower}`)
  if (Number.isNaN(upper) || upper === -Infinity)
    throw new RangeError(`the upper bound of "${name}" is ${upper}`)
}
