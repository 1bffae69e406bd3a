/**
 * The certificate: checks a solver's claims in doubles, on the programme as it was given.
 *
 * A point is certified if, with e = 1e-7,
 *
 *   bounds       each x_j is within e of its bounds, relative to the larger of the bound and the unit of x_j
 *   integrality  each integer x_j is within 1e-6 of a whole number
 *   rows         after x was moved onto the bounds and whole numbers that it was near, each row is within e of its
 *                bounds, relative to the largest of its unit, its bounds and its terms
 *
 * Units are those of scaling.ts: a tolerance without a unit would accept anything for a row in seconds and nothing for
 * a row in bytes. The objective is computed again from the moved point.
 *
 * A claim to be best is checked by weak duality: for any y
 *
 *   L(y) = sum_i min { y_i·b : lower_i <= b <= upper_i } + sum_j min { d_j·x : lower_j <= x <= upper_j },  d = c - A'y
 *
 * is at most the optimum, so that L(y) with a solver's duals is a bound that holds whether or not the duals are right.
 * With c = 0, L(y) > 0 proves that no point exists (Farkas). A d_j that is rounding noise beside an infinite bound
 * counts as 0.
 */
import {
  type IndexedProgram,
  type IndexedVariable,
  integralityTolerance,
  withVariables,
} from './indexed-program.ts'
import type { Scale } from './scaling.ts'
import { at, type Vector } from './vector.ts'

const feasibilityTolerance = 1e-7
/** Reduced costs below this fraction of the numbers that they are the difference of count as rounding noise. */
const reducedCostTolerance = 1e-8

/** A proof must exceed 0 by this fraction of the sum of the numbers in it. */
const proofTolerance = 1e-9

export interface Violation {
  readonly kind: 'not-a-number' | 'bound' | 'integrality' | 'row'
  /** Name of the variable or the row. */
  readonly name: string
  readonly amount: number
  readonly allowed: number
}

export type Certificate =
  | { readonly certified: true; readonly point: Vector; readonly objective: number }
  | { readonly certified: false; readonly violation: Violation }

export function certify(program: IndexedProgram, scale: Scale, claimed: Vector): Certificate {
  const point = new Float64Array(program.variables.length)
  for (const [j, variable] of program.variables.entries()) {
    const value = at(claimed, j)
    const violation = variableViolation(variable, at(scale.columns, j), value)
    if (violation) return { certified: false, violation }
    point[j] = nearest(variable, value)
  }
  for (const [i, { name, terms, lower, upper }] of program.rows.entries()) {
    let activity = 0
    let size = Math.max(1 / at(scale.rows, i), finiteSize(lower), finiteSize(upper))
    for (const { column, coefficient } of terms) {
      const term = coefficient * at(point, column)
      activity += term
      size = Math.max(size, Math.abs(term))
    }
    const amount = Math.max(lower - activity, activity - upper)
    const allowed = feasibilityTolerance * size
    if (!(amount <= allowed)) return { certified: false, violation: { kind: 'row', name, amount, allowed } }
  }
  return { certified: true, point, objective: objectiveOf(program, point) }
}

function objectiveOf({ variables }: IndexedProgram, point: Vector): number {
  return variables.reduce((sum, { cost }, j) => sum + cost * at(point, j), 0)
}

/** L(y): no feasible point has a lower objective. -Infinity if y proves nothing. */
export function lagrangianBound(program: IndexedProgram, scale: Scale, duals: Vector): number {
  const reduced = Float64Array.from(program.variables, ({ cost }) => cost)
  const size = reduced.map((cost, j) => Math.abs(cost) + 1 / (scale.objective * at(scale.columns, j)))
  let bound = 0
  for (const [i, { terms, lower, upper }] of program.rows.entries()) {
    const dual = at(duals, i)
    const price = Number.isFinite(dual > 0 ? lower : upper) ? dual : 0
    bound += least(price, lower, upper)
    for (const { column, coefficient } of terms) {
      reduced[column] = at(reduced, column) - coefficient * price
      size[column] = at(size, column) + Math.abs(coefficient * price)
    }
  }
  for (const [j, { lower, upper }] of program.variables.entries()) {
    const d = at(reduced, j)
    const unbounded = !Number.isFinite(d > 0 ? lower : upper)
    const noise = unbounded && Math.abs(d) <= reducedCostTolerance * at(size, j)
    bound += noise ? 0 : least(d, lower, upper)
  }
  return bound
}

/** Whether these multipliers of the rows, with either sign, prove that no point exists. */
export function provesInfeasible(program: IndexedProgram, scale: Scale, ray: Vector): boolean {
  const withoutCosts = withVariables(program, () => ({ cost: 0 }))
  const size = program.rows.reduce((sum, { lower, upper }, i) => {
    return sum + Math.abs(at(ray, i)) * (1 / at(scale.rows, i) + finiteSize(lower) + finiteSize(upper))
  }, 0)
  const ofRay = { ...scale, objective: 1 / size }
  return [ray, ray.map((multiplier) => -multiplier)].some(
    (y) => lagrangianBound(withoutCosts, ofRay, y) > proofTolerance * size,
  )
}

function variableViolation(
  { name, lower, upper, integer }: IndexedVariable,
  unit: number,
  value: number,
): Violation | undefined {
  if (!Number.isFinite(value)) return { kind: 'not-a-number', name, amount: value, allowed: 0 }
  const amount = Math.max(lower - value, value - upper)
  const bound = lower > value ? lower : upper
  const allowed = feasibilityTolerance * Math.max(unit, finiteSize(bound))
  if (amount > allowed) return { kind: 'bound', name, amount, allowed }
  const fraction = Math.abs(value - Math.round(value))
  if (integer && fraction > integralityTolerance)
    return { kind: 'integrality', name, amount: fraction, allowed: integralityTolerance }
  return undefined
}

function nearest({ lower, upper, integer }: IndexedVariable, value: number): number {
  const inside = Math.min(upper, Math.max(lower, integer ? Math.round(value) : value))
  return inside === 0 ? 0 : inside
}

/** min { price·b : lower <= b <= upper } */
function least(price: number, lower: number, upper: number): number {
  return price === 0 ? 0 : price * (price > 0 ? lower : upper)
}

function finiteSize(bound: number): number {
  return Number.isFinite(bound) ? Math.abs(bound) : 0
}
