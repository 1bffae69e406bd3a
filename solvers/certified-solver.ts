/**
 * What every solver of the port does around its package: reject invalid programmes, scale, solve, unscale, certify. The
 * package is an `Engine`, whose claims are checked wherever they can be:
 *
 *   a point       has to pass the certificate; if not, the engine is asked once more with stricter integrality, and
 *                 then `rejected`
 *   the best      for an LP is bounded by the engine's own duals; a gap over 1e-5 makes it `feasible` with that bound.
 *                 For a MILP the relaxation's duals are used the same way if they suffice, otherwise the engine's bound
 *                 is believed
 *   infeasible    for an LP has to be proven by a Farkas ray, or is `rejected`. For a MILP the engine's exhausted
 *                 search is believed; if the objective might fall without end, only its search of the same programme
 *                 without costs
 *   unbounded     needs a certified point, and a certified direction in which the objective falls without end; this is
 *                 also tested if the engine calls a MILP solved in which a variable has no bound in the direction of
 *                 its cost
 *
 * The gap is relative to the objective, or to its unit (scaling.ts) if that is larger: with an objective of 0, the
 * bound of a MILP is off by the package's tolerance.
 */
import { certify, lagrangianBound, provesInfeasible } from './certificate.ts'
import type { Engine, Outcome, Remaining } from './engine.ts'
import { type IndexedProgram, indexedProgram, isMixedInteger, withVariables } from './indexed-program.ts'
import type { Point, Solution, Solver } from './linear-program.ts'
import { type Scale, scaledProgram, scaleOf, unscaledDuals, unscaledPoint, unscaledRay } from './scaling.ts'
import { at, type Vector } from './vector.ts'

type Verdict =
  | { readonly status: 'optimal'; readonly best: Best; readonly gap: number }
  | { readonly status: 'feasible'; readonly best: Best; readonly bound: number }
  | Exclude<Solution, { readonly point: Point }>

interface Best {
  readonly point: Vector
  readonly objective: number
  readonly duals?: Vector | undefined
}

const optimalityTolerance = 1e-5

/** In units of the objective per unit of the variables; a smaller decrease counts as rounding. */
const fallTolerance = 1e-6

const infeasible = { status: 'infeasible' } as const
const unbounded = { status: 'unbounded' } as const
const rejected = { status: 'unsolved', reason: 'rejected' } as const

export function certifiedSolver(engine: Engine): Solver {
  return (program, { deadlineMs = Infinity } = {}) => {
    const indexed = indexedProgram(program)
    const end = performance.now() + deadlineMs
    return named(
      indexed,
      verdict(indexed, engine, () => end - performance.now()),
    )
  }
}

function verdict(program: IndexedProgram, engine: Engine, remaining: Remaining, strict = false): Verdict {
  if (plainlyInfeasible(program)) return infeasible
  if (program.variables.length === 0) return nothingToChoose(program)
  const scale = scaleOf(program)
  const outcome = outcomeOf(scaledProgram(program, scale), engine, remaining, strict)
  switch (outcome.status) {
    case 'optimal':
    case 'feasible': {
      const answer = certified(program, scale, outcome, engine, remaining)
      if (!isMixedInteger(program)) return answer ?? rejected
      if (!answer) return strict ? rejected : verdict(program, engine, remaining, true)
      const falls = mayFallForEver(program) && fallsForEver(program, scale, engine, remaining)
      return falls ? unbounded : answer
    }
    case 'infeasible':
      if (outcome.ray && provesInfeasible(program, scale, unscaledRay(outcome.ray, scale))) return infeasible
      if (mayFallForEver(program)) return unboundedOrInfeasible(program, scale, engine, remaining)
      return isMixedInteger(program) ? infeasible : rejected
    case 'unbounded':
      return mayFallForEver(program) ? unboundedOrInfeasible(program, scale, engine, remaining) : rejected
    case 'stopped':
      return { status: 'unsolved', reason: 'deadline' }
    case 'crashed':
      return { status: 'unsolved', reason: 'crashed' }
  }
}

function outcomeOf(program: IndexedProgram, engine: Engine, remaining: Remaining, strict: boolean) {
  if (remaining() <= 0) return { status: 'stopped' } as const
  try {
    return engine(program, remaining, strict)
  } catch {
    return { status: 'crashed' } as const
  }
}

/** Crossing bounds, and rows without terms that nothing satisfies: packages treat them differently. */
function plainlyInfeasible({ variables, rows }: IndexedProgram): boolean {
  return (
    variables.some(({ lower, upper }) => lower > upper) ||
    rows.some(({ terms, lower, upper }) => lower > upper || (terms.length === 0 && (lower > 0 || upper < 0)))
  )
}

function nothingToChoose({ rows }: IndexedProgram): Verdict {
  const best = { point: new Float64Array(0), objective: 0, duals: new Float64Array(rows.length) }
  return { status: 'optimal', best, gap: 0 }
}

function certified(
  program: IndexedProgram,
  scale: Scale,
  outcome: Extract<Outcome, { readonly point: Vector }>,
  engine: Engine,
  remaining: Remaining,
): Verdict | undefined {
  const claimed = unscaledPoint(outcome.point, scale)
  const settled = isMixed(program) ? atWholeNumbers(program, claimed, engine, remaining) : undefined
  if (settled) return judged(program, scale, outcome, settled)
  const certificate = certify(program, scale, claimed)
  return certificate.certified ? judged(program, scale, outcome, certificate) : undefined
}

function isMixed(program: IndexedProgram): boolean {
  return isMixedInteger(program) && program.variables.some(({ integer }) => !integer)
}

/**
 * A package's integers are whole only within its tolerance, which the continuous variables take advantage of: fixes the
 * integers at the whole numbers and solves for the others again, as an LP.
 */
function atWholeNumbers(
  program: IndexedProgram,
  claimed: Vector,
  engine: Engine,
  remaining: Remaining,
): Best | undefined {
  const whole = withVariables(program, ({ integer, lower, upper }, j) => {
    if (!integer) return {}
    const value = Math.round(at(claimed, j))
    return { integer: false, lower: Math.max(lower, value), upper: Math.min(upper, value) }
  })
  const answer = verdict(whole, engine, remaining)
  return answer.status === 'optimal' ? answer.best : undefined
}

function judged(
  program: IndexedProgram,
  scale: Scale,
  outcome: Extract<Outcome, { readonly point: Vector }>,
  { point, objective }: Best,
): Verdict {
  const duals = outcome.duals && unscaledDuals(outcome.duals, scale)
  const proven = duals ? lagrangianBound(program, scale, duals) : -Infinity
  const claimed = outcome.bound === undefined ? -Infinity : outcome.bound / scale.objective
  // A bound above a certified point is disproved by that point.
  const bound = Math.min(objective, Math.max(proven, claimed))
  const best = { point, objective, duals: isMixedInteger(program) ? undefined : duals }
  const gap = (objective - bound) / Math.max(Math.abs(objective), 1 / scale.objective)
  if (gap <= optimalityTolerance) return { status: 'optimal', best, gap }
  return { status: 'feasible', best, bound }
}

/** Whether some variable has no bound in the direction of its cost. */
function mayFallForEver({ variables }: IndexedProgram): boolean {
  return variables.some(({ cost, lower, upper }) => cost * (cost > 0 ? lower : upper) === -Infinity)
}

/** Packages confuse the two: without costs, either a point exists or none does. */
function unboundedOrInfeasible(
  program: IndexedProgram,
  scale: Scale,
  engine: Engine,
  remaining: Remaining,
): Verdict {
  const feasible = verdict(
    withVariables(program, () => ({ cost: 0 })),
    engine,
    remaining,
  )
  if (feasible.status === 'infeasible' || feasible.status === 'unsolved') return feasible
  return fallsForEver(program, scale, engine, remaining) ? unbounded : rejected
}

/** Whether there is a direction in which the objective falls and no bound is ever reached. */
function fallsForEver(program: IndexedProgram, scale: Scale, engine: Engine, remaining: Remaining): boolean {
  const direction = recession(program, scale)
  const answer = outcomeOf(scaledProgram(direction, scale), engine, remaining, false)
  if (answer.status !== 'optimal') return false
  const ray = certify(direction, scale, unscaledPoint(answer.point, scale))
  return ray.certified && ray.objective < -fallTolerance / scale.objective
}

/** The directions that never reach a bound, as an LP of its own in a box of one unit either way. */
function recession({ variables, rows }: IndexedProgram, scale: Scale): IndexedProgram {
  return {
    variables: variables.map(({ name, cost, lower, upper }, j) => ({
      name,
      cost,
      lower: Number.isFinite(lower) ? 0 : -at(scale.columns, j),
      upper: Number.isFinite(upper) ? 0 : at(scale.columns, j),
      integer: false,
    })),
    rows: rows.map(({ name, terms, lower, upper }) => ({
      name,
      terms,
      lower: Number.isFinite(lower) ? 0 : -Infinity,
      upper: Number.isFinite(upper) ? 0 : Infinity,
    })),
  }
}

function named(program: IndexedProgram, answer: Verdict): Solution {
  switch (answer.status) {
    case 'optimal':
      return { status: 'optimal', point: namedPoint(program, answer.best), gap: answer.gap }
    case 'feasible':
      return { status: 'feasible', point: namedPoint(program, answer.best), bound: answer.bound }
    default:
      return answer
  }
}

function namedPoint({ variables, rows }: IndexedProgram, { point, objective, duals }: Best): Point {
  const values = byName(variables, point)
  return duals ? { objective, values, duals: byName(rows, duals) } : { objective, values }
}

function byName(lines: readonly { readonly name: string }[], values: Vector): Record<string, number> {
  const named: Record<string, number> = {}
  for (const [line, { name }] of lines.entries()) named[name] = at(values, line)
  return named
}
