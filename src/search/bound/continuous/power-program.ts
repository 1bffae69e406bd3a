/**
 * A linear programme with variables that are at least powers of two of linear expressions:
 *
 *   minimise c·x   subject to   linear rows,   x_k >= 2^(a_k·x + b_k)
 *
 * A power is convex, so each of its tangents is a row that every solution satisfies: with u the exponent where it
 * touches, x_k >= 2^u · (1 + ln 2 · (a_k·x + b_k - u)). Tangents are added where the last solution breaks a power, until
 * none is broken by more than a hundred-thousandth; tangents that the solution stays far from are dropped, as they did not
 * decide it. Every optimum on the way bounds the programme's from below, so that it may be left at any time. Method:
 * Kelley, "The cutting-plane method for solving convex programs" (1960).
 */
import type { LinearProgram, Point, Row, Solver } from '../../../../solvers/linear-program.ts'
import { concatenated } from '../../../concatenated.ts'
import type { Terms } from '../../memory-policy/linear-terms.ts'

export interface Power {
  /** Name of the variable that is at least the power. */
  readonly name: string
  readonly exponent: Terms
  readonly offset: number
}

export interface PowerProgram extends LinearProgram {
  readonly powers: readonly Power[]
}

export type PowerSolution =
  | { readonly status: 'optimal'; readonly bound: number; readonly point: Point }
  | { readonly status: 'infeasible' }
  | { readonly status: 'unsolved' }

const tolerance = 1e-5
const mostRounds = 40
const firstExponents = [0, 4, 8]
/** Tangents touch at multiples of 1/256, so that no two are too close for a solver to tell apart. */
const grid = 256
/** A tangent is far when it lies below the solution by more than this share of the power where it touches. */
const far = 0.5

/** Solves in rounds, of which each yields the bound so far. */
export function* powerRounds(
  { variables, rows, powers }: PowerProgram,
  solver: Solver,
): Generator<number, PowerSolution> {
  let tangents = concatenated(powers.map((power) => firstExponents.map((at) => tangent(power, at))))
  let best: Extract<PowerSolution, { status: 'optimal' }> | null = null
  for (let round = 0; round < mostRounds; round++) {
    const answer = solver({ variables, rows: [...rows, ...tangents] })
    if (answer.status === 'infeasible') return { status: 'infeasible' }
    if (answer.status !== 'optimal') break
    const { point, gap } = answer
    best = { status: 'optimal', bound: point.objective - gap * Math.abs(point.objective), point }
    yield best.bound
    const broken = powers.filter((power) => isBroken(power, point))
    if (broken.length === 0) break
    const near = tangents.filter((row) => slack(row, point) < far)
    const known = new Set(near.map(({ name }) => name))
    const further = broken.map((power) => tangent(power, Math.round(exponentAt(power, point) * grid) / grid))
    tangents = [...near, ...further.filter(({ name }) => !known.has(name))]
  }
  return best ?? { status: 'unsolved' }
}

function tangent({ name, exponent, offset }: Power, at: number): Row {
  const slope = Math.LN2
  const terms: Record<string, number> = { [name]: 2 ** -at }
  for (const [variable, coefficient] of Object.entries(exponent)) terms[variable] = -slope * coefficient
  return { name: `${name} touches at ${at}`, terms, lower: 1 + slope * (offset - at) }
}

function slack({ terms, lower = 0 }: Row, point: Point): number {
  return valueAt(terms, point) - lower
}

function isBroken(power: Power, point: Point): boolean {
  return (point.values[power.name] ?? 0) < 2 ** exponentAt(power, point) * (1 - tolerance)
}

function exponentAt({ exponent, offset }: Power, point: Point): number {
  return offset + valueAt(exponent, point)
}

function valueAt(terms: Terms, { values }: Point): number {
  return Object.entries(terms).reduce(
    (sum, [name, coefficient]) => sum + coefficient * (values[name] ?? 0),
    0,
  )
}
