/**
 * A programme as a tableau of javascript-lp-solver, and what can be read back from it.
 *
 * Variables of the package are nonnegative and have no upper bound, so x = lower + p, x = upper - p or, with neither
 * bound, x = p - q, and an upper bound is a row. A row of the package is a·x <= b, so one with both bounds is two.
 */
import solver from 'javascript-lp-solver'
import type { IndexedProgram, IndexedVariable } from './indexed-program.ts'
import { at, type Vector } from './vector.ts'

export type Model = InstanceType<typeof solver.Model>
export type PackageVariable = ReturnType<Model['addVariable']>

/** Smaller numbers in the tableau count as 0. */
export const precision = 1e-9
const goldenRatio = (1 + Math.sqrt(5)) / 2

/** x = offset + the sum of sign·part. */
export interface Column {
  readonly cost: number
  readonly offset: number
  readonly parts: readonly Part[]
}

export interface Part {
  readonly variable: PackageVariable
  readonly sign: 1 | -1
}

/** One side of a row: the package knows a_i·x <= upper (sign 1) and, negated, a_i·x >= lower (sign -1). */
export interface Side {
  readonly row: number
  readonly slack: number
  readonly sign: 1 | -1
}

export interface Built {
  readonly model: Model
  readonly columns: readonly Column[]
  readonly sides: readonly Side[]
}

/** Builds the model with arbitrary costs; `setCosts` sets the true ones. */
export function build({ variables, rows }: IndexedProgram): Built {
  const model = new solver.Model(precision).minimize()
  model.keep_solutions = true
  model.debug(false)
  const columns = variables.map((variable, j) => addColumn(model, variable, j))
  const sides: Side[] = []
  for (const [row, { terms, lower, upper }] of rows.entries()) {
    const offset = terms.reduce(
      (sum, { column, coefficient }) => sum + coefficient * offsetOf(columns, column),
      0,
    )
    const ends = [
      { rhs: upper, sign: 1 },
      { rhs: lower, sign: -1 },
    ] as const
    for (const { rhs, sign } of ends) {
      if (!Number.isFinite(rhs)) continue
      const constraint = model.smallerThan(sign * (rhs - offset))
      for (const { column, coefficient } of terms) {
        for (const part of columns[column]?.parts ?? []) {
          constraint.addTerm(sign * coefficient * part.sign, part.variable)
        }
      }
      sides.push({ row, slack: constraint.index, sign })
    }
  }
  return { model, columns, sides }
}

function addColumn(model: Model, { cost, lower, upper, integer }: IndexedVariable, j: number): Column {
  const add = (sign: 1 | -1): Part => {
    const id = `${sign === 1 ? 'p' : 'q'}${j}`
    return { variable: model.addVariable(firstCost(j), id, integer), sign }
  }
  if (lower === upper) return { cost, offset: lower, parts: [] }
  if (Number.isFinite(lower)) {
    const part = add(1)
    if (Number.isFinite(upper)) model.smallerThan(upper - lower).addTerm(1, part.variable)
    return { cost, offset: lower, parts: [part] }
  }
  if (Number.isFinite(upper)) return { cost, offset: upper, parts: [add(-1)] }
  return { cost, offset: 0, parts: [add(1), add(-1)] }
}

/** Costs between 1 and 2, all different, so that the dual simplex has no ties to cycle in. */
function firstCost(j: number): number {
  return 1 + ((j * goldenRatio) % 1)
}

export function setCosts({ model, columns }: Built): void {
  for (const { cost, parts } of columns) {
    for (const { variable, sign } of parts) model.setCost(sign * cost, variable)
  }
}

/** The point of the tableau's current basis. */
export function basicPoint(built: Built): Vector {
  const { rowByVarIndex, rhsColumn } = built.model.tableau
  return pointOf(built, ({ index }) => {
    const line = rowByVarIndex[index] ?? -1
    return line === -1 ? 0 : entry(built, line, rhsColumn)
  })
}

export function pointOf({ columns }: Built, read: (variable: PackageVariable) => number): Vector {
  return Float64Array.from(columns, ({ offset, parts }) =>
    parts.reduce((sum, { variable, sign }) => sum + sign * read(variable), offset),
  )
}

/** The reduced cost of a slack is what its side of the row is worth. */
export function duals(program: IndexedProgram, built: Built): Vector {
  return perRow(
    program,
    built,
    ({ slack, sign }) => sign * slackEntry(built, built.model.tableau.costRowIndex, slack),
  )
}

/**
 * Phase 1 ended at a tableau row that reads: a nonnegative variable, plus nonnegative multiples of others, is negative.
 * The multiples of the slacks in it are multipliers of the rows that prove the contradiction.
 */
export function farkasRay(program: IndexedProgram, built: Built): Vector | undefined {
  const { height, rhsColumn, varIndexByRow } = built.model.tableau
  let line = 0
  for (let candidate = 1; candidate < height; candidate += 1) {
    const worst = line === 0 ? -precision : entry(built, line, rhsColumn)
    if (entry(built, candidate, rhsColumn) < worst) line = candidate
  }
  if (line === 0) return undefined
  return perRow(program, built, ({ slack, sign }) => {
    return -sign * (varIndexByRow[line] === slack ? 1 : slackEntry(built, line, slack))
  })
}

function perRow({ rows }: IndexedProgram, { sides }: Built, read: (side: Side) => number): Vector {
  const values = new Float64Array(rows.length)
  for (const side of sides) values[side.row] = at(values, side.row) + read(side)
  return values
}

function slackEntry(built: Built, line: number, slack: number): number {
  const column = built.model.tableau.colByVarIndex[slack] ?? -1
  return column === -1 ? 0 : entry(built, line, column)
}

function entry({ model }: Built, line: number, column: number): number {
  return at(model.tableau.matrix, line * model.tableau.width + column)
}

function offsetOf(columns: readonly Column[], column: number): number {
  return columns[column]?.offset ?? 0
}
