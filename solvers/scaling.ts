/**
 * Scaling: brings the numbers of a programme into a range that a solver can handle, before every solve.
 *
 *   x_j = s_j·x'_j     a'_ij = r_i·a_ij·s_j     b'_i = r_i·b_i     u'_j = u_j / s_j     c'_j = k·c_j·s_j
 *
 * The factors r (rows), s (columns) and k (objective) minimise the sum of (log2 of every nonzero number of the scaled
 * programme)², so that the numbers lie about 1, where the absolute tolerances of the solvers mean something. Solved by
 * alternating sweeps: each factor is the mean of those that each number would need. Method: Curtis and Reid, "On the
 * automatic scaling of matrices for Gaussian elimination" (1972), here with right-hand sides, bounds and the objective
 * too. Factors are powers of two, so that scaling and unscaling are exact in doubles, except close to 0.
 *
 * An integer variable keeps s = 1, or whole numbers would not stay whole. Scaling cannot help a row with numbers more
 * than about 1e8 apart: there the certificate decides.
 */
import type { IndexedProgram } from './indexed-program.ts'
import { at, type Vector } from './vector.ts'

export interface Scale {
  /** s: the unit that a variable is measured in. */
  readonly columns: Vector
  /** r: the reciprocal of the unit that a row is measured in. */
  readonly rows: Vector
  /** k: the reciprocal of the unit that the objective is measured in. */
  readonly objective: number
}

const sweeps = 12
/** Keeps products of factors inside the range of doubles. */
const largestExponent = 300

export function scaleOf(program: IndexedProgram): Scale {
  const { rows, variables } = program
  const terms = termExponents(rows)
  const rowBounds = boundExponents(rows)
  const variableBounds = boundExponents(variables)
  const costs = Float64Array.from(variables, ({ cost }) => (cost === 0 ? Number.NaN : log2(cost)))
  const counts = new Float64Array(variables.length)
  for (const column of terms.columns) counts[column] = at(counts, column) + 1
  for (const [j, { cost }] of variables.entries()) {
    counts[j] = at(counts, j) + lengthOf(variableBounds, j) + (cost === 0 ? 0 : 1)
  }
  const s = new Float64Array(variables.length)
  const r = new Float64Array(rows.length)
  const wanted = new Float64Array(variables.length)
  let k = 0
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    wanted.fill(0)
    for (let i = 0; i < rows.length; i += 1) {
      const from = at(terms.starts, i)
      const to = at(terms.starts, i + 1)
      let row = 0
      for (let term = from; term < to; term += 1) {
        row += -at(terms.exponents, term) - at(s, at(terms.columns, term))
      }
      for (let bound = at(rowBounds.starts, i); bound < at(rowBounds.starts, i + 1); bound += 1) {
        row += -at(rowBounds.exponents, bound)
      }
      const factor = mean(row, to - from + lengthOf(rowBounds, i))
      r[i] = factor
      for (let term = from; term < to; term += 1) {
        const column = at(terms.columns, term)
        wanted[column] = at(wanted, column) - at(terms.exponents, term) - factor
      }
    }
    let objective = 0
    let priced = 0
    for (let j = 0; j < variables.length; j += 1) {
      for (let bound = at(variableBounds.starts, j); bound < at(variableBounds.starts, j + 1); bound += 1) {
        wanted[j] = at(wanted, j) + at(variableBounds.exponents, bound)
      }
      const cost = at(costs, j)
      if (Number.isNaN(cost)) continue
      objective += -cost - at(s, j)
      priced += 1
    }
    k = mean(objective, priced)
    for (let j = 0; j < variables.length; j += 1) {
      const cost = at(costs, j)
      if (!Number.isNaN(cost)) wanted[j] = at(wanted, j) - cost - k
      s[j] = variables[j]?.integer ? 0 : mean(at(wanted, j), at(counts, j))
    }
  }
  return { columns: s.map(powerOfTwo), rows: r.map(powerOfTwo), objective: powerOfTwo(k) }
}

/** log2 of numbers of each line of a programme, one line after another; those of line i begin at `starts[i]`. Sweeps read nothing else, and make nothing. */
interface Exponents {
  readonly starts: Vector
  readonly exponents: Vector
}

function lengthOf({ starts }: Exponents, line: number): number {
  return at(starts, line + 1) - at(starts, line)
}

/** Of the coefficients, with their columns. */
function termExponents(rows: IndexedProgram['rows']): Exponents & { readonly columns: Vector } {
  const starts = startsOf(rows, ({ terms }) => terms.length)
  const columns = new Float64Array(at(starts, rows.length))
  const exponents = new Float64Array(columns.length)
  let place = 0
  for (const { terms } of rows) {
    for (const { column, coefficient } of terms) {
      columns[place] = column
      exponents[place++] = log2(coefficient)
    }
  }
  return { starts, columns, exponents }
}

/** Of the bounds that are finite and not 0. */
function boundExponents(lines: readonly Bounded[]): Exponents {
  const sized = lines.map(sizedBounds)
  const starts = startsOf(sized, ({ length }) => length)
  const exponents = new Float64Array(at(starts, lines.length))
  let place = 0
  for (const bounds of sized) for (const bound of bounds) exponents[place++] = log2(bound)
  return { starts, exponents }
}

interface Bounded {
  readonly lower: number
  readonly upper: number
}

function sizedBounds({ lower, upper }: Bounded): readonly number[] {
  const bounds = lower === upper ? [lower] : [lower, upper]
  return bounds.filter((bound) => bound !== 0 && Number.isFinite(bound))
}

function startsOf<Line>(lines: readonly Line[], lengthOf: (line: Line) => number): Vector {
  const starts = new Float64Array(lines.length + 1)
  for (const [i, line] of lines.entries()) starts[i + 1] = at(starts, i) + lengthOf(line)
  return starts
}

export function scaledProgram({ variables, rows }: IndexedProgram, scale: Scale): IndexedProgram {
  return {
    variables: variables.map((variable, j) => {
      const s = at(scale.columns, j)
      const { cost, lower, upper } = variable
      return { ...variable, cost: scale.objective * cost * s, lower: lower / s, upper: upper / s }
    }),
    rows: rows.map((row, i) => {
      const r = at(scale.rows, i)
      const terms = row.terms.map(({ column, coefficient }) => ({
        column,
        coefficient: r * coefficient * at(scale.columns, column),
      }))
      return { ...row, terms, lower: r * row.lower, upper: r * row.upper }
    }),
  }
}

/** The point in the variables of the original programme. */
export function unscaledPoint(point: Vector, { columns }: Scale): Vector {
  return point.map((value, j) => value * at(columns, j))
}

/** y = y'·r / k, as y is d objective / d right-hand side. */
export function unscaledDuals(duals: Vector, { rows, objective }: Scale): Vector {
  // Adding 0 turns the -0 of a slack row into 0.
  return duals.map((dual, i) => (dual * at(rows, i)) / objective + 0)
}

/** y = y'·r, as the multipliers belong to no objective. */
export function unscaledRay(ray: Vector, { rows }: Scale): Vector {
  return ray.map((multiplier, i) => multiplier * at(rows, i))
}

function mean(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count
}

function log2(value: number): number {
  return Math.log2(Math.abs(value))
}

function powerOfTwo(exponent: number): number {
  return 2 ** Math.max(-largestExponent, Math.min(largestExponent, Math.round(exponent)))
}
