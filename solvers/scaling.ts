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
  const { variables, rows } = exponentsOf(program)
  const s = new Float64Array(variables.length)
  const r = new Float64Array(rows.length)
  const wanted = new Float64Array(variables.length)
  let k = 0
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    wanted.fill(0)
    for (const [i, { columns, exponents, bounds, count }] of rows.entries()) {
      let row = 0
      for (let term = 0; term < columns.length; term += 1) {
        row += -at(exponents, term) - at(s, at(columns, term))
      }
      for (const bound of bounds) row += -bound
      const factor = mean(row, count)
      r[i] = factor
      for (let term = 0; term < columns.length; term += 1) {
        const column = at(columns, term)
        wanted[column] = at(wanted, column) - at(exponents, term) - factor
      }
    }
    let objective = 0
    let priced = 0
    for (const [j, { cost, bounds }] of variables.entries()) {
      for (const bound of bounds) wanted[j] = at(wanted, j) + bound
      if (cost === null) continue
      objective += -cost - at(s, j)
      priced += 1
    }
    k = mean(objective, priced)
    for (const [j, { cost, integer, count }] of variables.entries()) {
      if (cost !== null) wanted[j] = at(wanted, j) - cost - k
      s[j] = integer ? 0 : mean(at(wanted, j), count)
    }
  }
  return { columns: s.map(powerOfTwo), rows: r.map(powerOfTwo), objective: powerOfTwo(k) }
}

/** log2 of every nonzero number of a programme, with the count of numbers in each row and column. */
function exponentsOf({ variables, rows }: IndexedProgram) {
  const counts = new Float64Array(variables.length)
  const ofRows = rows.map(({ terms, lower, upper }) => {
    for (const { column } of terms) counts[column] = at(counts, column) + 1
    const bounds = exponentsOfBounds(lower, upper)
    return {
      columns: Float64Array.from(terms, ({ column }) => column),
      exponents: Float64Array.from(terms, ({ coefficient }) => log2(coefficient)),
      bounds,
      count: terms.length + bounds.length,
    }
  })
  const ofVariables = variables.map(({ cost, integer, lower, upper }, j) => {
    const bounds = exponentsOfBounds(lower, upper)
    const count = at(counts, j) + bounds.length + (cost === 0 ? 0 : 1)
    return { cost: cost === 0 ? null : log2(cost), integer, bounds, count }
  })
  return { variables: ofVariables, rows: ofRows }
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

/** log2 of the bounds that are finite and not 0. */
function exponentsOfBounds(lower: number, upper: number): readonly number[] {
  const sized = (lower === upper ? [lower] : [lower, upper]).filter((bound) => bound !== 0)
  return sized.filter(Number.isFinite).map(log2)
}

function log2(value: number): number {
  return Math.log2(Math.abs(value))
}

function powerOfTwo(exponent: number): number {
  return 2 ** Math.max(-largestExponent, Math.min(largestExponent, Math.round(exponent)))
}
