/**
 * Laws of linear programming that hold for any solver: about the optimum, its duals, scaling, and the certificate,
 * which must not accept a wrong point or a wrong proof.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { certify, lagrangianBound, provesInfeasible } from '../../../solvers/certificate.ts'
import { certifiedSolver } from '../../../solvers/certified-solver.ts'
import type { Outcome } from '../../../solvers/engine.ts'
import { indexedProgram } from '../../../solvers/indexed-program.ts'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { LinearProgram, Point, Row, Solver } from '../../../solvers/linear-program.ts'
import { scaledProgram, scaleOf, unscaledPoint } from '../../../solvers/scaling.ts'
import type { Vector } from '../../../solvers/vector.ts'
import { forAll, law, whole } from '../../law.ts'
import { solvers } from '../../solvers.ts'

/**
 * Boxes around 0 with rows that 0 satisfies: always a point, always a least objective. Units are powers of ten apart by
 * rows, and by variables that are not whole.
 */
function solvable(integer: boolean): fc.Arbitrary<LinearProgram> {
  const unit = whole(-3, 5).map((exponent) => 10 ** exponent)
  const column = fc.record({
    cost: whole(-9, 9),
    below: whole(0, 5),
    above: whole(0, 5),
    unit,
    whole: fc.boolean(),
  })
  return fc.array(column, { minLength: 1, maxLength: 6 }).chain((columns) => {
    const units = columns.map((each) => (integer && each.whole ? 1 : each.unit))
    const row = fc.record({
      coefficients: fc.tuple(...columns.map(() => whole(-6, 9))),
      lower: fc.option(whole(-20, 0), { nil: undefined }),
      upper: whole(0, 20),
      unit,
    })
    return fc.array(row, { minLength: 1, maxLength: 5 }).map((rows) => ({
      variables: columns.map(({ cost, below, above, whole }, j) => {
        const own = units[j] ?? 1
        const bounds = { lower: -below * own, upper: above * own }
        return {
          name: `x${j}`,
          cost: (cost * 1e-3) / own,
          ...bounds,
          ...(integer && whole ? { integer: true } : {}),
        }
      }),
      rows: rows.map(({ coefficients, lower, upper, unit }, i) => ({
        name: `r${i}`,
        terms: Object.fromEntries(
          coefficients.map((value, j) => [`x${j}`, (value * unit) / (units[j] ?? 1)]),
        ),
        ...(lower === undefined ? {} : { lower: lower * unit }),
        upper: upper * unit,
      })),
    }))
  })
}

function best(solver: Solver, program: LinearProgram): Point {
  const solution = solver(program)
  if (solution.status !== 'optimal') throw new Error(`not optimal: ${JSON.stringify(solution)}`)
  return solution.point
}

/** What rounding may leave between two optima of one programme. */
function rounding({ variables }: LinearProgram): number {
  const sizes = variables.map(({ cost, lower = 0, upper = 0 }) => Math.abs(cost) * Math.max(-lower, upper))
  return 1e-7 * sizes.reduce((sum, size) => sum + size, 1e-3)
}

function vectorOf({ variables }: LinearProgram, point: Point): Vector {
  return Float64Array.from(variables, ({ name }) => point.values[name] ?? Number.NaN)
}

function withRow({ variables, rows }: LinearProgram, name: string, change: (row: Row) => Row): LinearProgram {
  return { variables, rows: rows.map((row) => (row.name === name ? change(row) : row)) }
}

describe.each(solvers)('%s: the optimum', (_, solver) => {
  law(
    'is k times as large where the objective is',
    100,
    [solvable(true), whole(-6, 6)],
    (program, exponent) => {
      const k = 10 ** exponent
      const larger = {
        ...program,
        variables: program.variables.map((each) => ({ ...each, cost: k * each.cost })),
      }
      const difference = best(solver, larger).objective / k - best(solver, program).objective
      expect(Math.abs(difference)).toBeLessThanOrEqual(rounding(program))
    },
  )

  law('is the same in other units of a row', 100, [solvable(true), whole(-6, 9)], (program, exponent) => {
    const k = 10 ** exponent
    const other = withRow(program, 'r0', ({ name, terms, lower, upper = 0 }) => ({
      name,
      terms: Object.fromEntries(Object.entries(terms).map(([variable, value]) => [variable, k * value])),
      ...(lower === undefined ? {} : { lower: k * lower }),
      upper: k * upper,
    }))
    const difference = best(solver, other).objective - best(solver, program).objective
    expect(Math.abs(difference)).toBeLessThanOrEqual(rounding(program))
  })

  law(
    'does not notice a row that follows from others',
    100,
    [solvable(true), whole(0, 3)],
    (program, slack) => {
      const [first] = program.rows
      if (!first) throw new Error('a programme without rows')
      const repeated = { name: 'again', terms: first.terms, upper: (first.upper ?? 0) * (1 + slack) }
      const more = { ...program, rows: [...program.rows, repeated] }
      const difference = best(solver, more).objective - best(solver, program).objective
      expect(Math.abs(difference)).toBeLessThanOrEqual(rounding(program))
    },
  )

  law(
    'is never worse where a row is relaxed or left out',
    100,
    [solvable(true), fc.double({ min: 0, max: 2, noNaN: true })],
    (program, share) => {
      const { objective } = best(solver, program)
      const relaxed = withRow(program, 'r0', (row) => ({ ...row, upper: (row.upper ?? 0) * (1 + share) }))
      const without = { ...program, rows: program.rows.slice(1) }
      expect(best(solver, relaxed).objective).toBeLessThanOrEqual(objective + rounding(program))
      expect(best(solver, without).objective).toBeLessThanOrEqual(objective + rounding(program))
    },
  )

  law('of the relaxation bounds that of the integers', 100, [solvable(true)], (program) => {
    const variables = program.variables.map((each) => ({ ...each, integer: false }))
    const relaxation = best(solver, { ...program, variables }).objective
    expect(relaxation).toBeLessThanOrEqual(best(solver, program).objective + rounding(program))
  })
})

describe.each(solvers)('%s: the duals', (_, solver) => {
  it('are what one more unit of a right-hand side saves or costs', () => {
    // Least cost of 10 units of work, of which the cheap kind is limited: one more of it saves the difference of 3.
    const program = (work: number, limit: number): LinearProgram => ({
      variables: [
        { name: 'cheap', cost: 2 },
        { name: 'dear', cost: 5 },
      ],
      rows: [
        { name: 'work', terms: { cheap: 1, dear: 1 }, lower: work },
        { name: 'limit', terms: { cheap: 1 }, upper: limit },
        { name: 'slack', terms: { dear: 1 }, upper: 100 },
      ],
    })
    const { objective, duals } = best(solver, program(10, 4))
    expect(objective).toBeCloseTo(38, 9)
    expect(duals?.work).toBeCloseTo(best(solver, program(11, 4)).objective - objective, 9)
    expect(duals?.limit).toBeCloseTo(best(solver, program(10, 5)).objective - objective, 9)
    expect(duals).toEqual({ work: expect.closeTo(5, 9), limit: expect.closeTo(-3, 9), slack: 0 })
  })

  law(
    'predict a small change of a right-hand side, and never promise more than a large one brings',
    60,
    [solvable(false), fc.constantFrom(1e-3, 0.1, 1, 10)],
    (program, share) => {
      const { objective, duals } = best(solver, program)
      for (const { name, upper = 0, terms } of program.rows) {
        const dual = duals?.[name] ?? Number.NaN
        const step = share * (upper === 0 ? Math.max(...Object.values(terms).map(Math.abs)) : upper)
        const more = best(
          solver,
          withRow(program, name, (row) => ({ ...row, upper: upper + step })),
        ).objective
        // The optimum is convex in the right-hand side: the dual is the slope of a line that lies below it.
        expect(more).toBeGreaterThanOrEqual(objective + Math.min(0, dual) * step - rounding(program))
      }
    },
  )

  it('are the slope exactly where the slopes to both sides are one', () => {
    let compared = 0
    forAll(60, [solvable(false)], (program) => {
      const { objective, duals } = best(solver, program)
      for (const { name, upper = 0, lower } of program.rows) {
        if (upper === 0 || (lower !== undefined && lower >= 0)) continue
        const step = 1e-2 * upper
        const at = (end: number) =>
          best(
            solver,
            withRow(program, name, (row) => ({ ...row, upper: end })),
          ).objective
        const [fewer, more] = [at(upper - step), at(upper + step)]
        const bound = rounding(program)
        // A lower bound of the row that binds has a dual of its own, and says nothing of the upper one.
        const dual = Math.min(0, duals?.[name] ?? Number.NaN)
        if (Math.abs(fewer - 2 * objective + more) > bound) continue
        compared += 1
        expect(Math.abs(dual * step - (more - objective))).toBeLessThanOrEqual(2 * bound)
      }
    })
    expect(compared).toBeGreaterThan(20)
  })

  it('are given of LPs only', () => {
    const rows = [{ name: 'r', terms: { x: 2 }, upper: 3 }]
    expect(best(solver, { variables: [{ name: 'x', cost: -1 }], rows }).duals).toEqual({ r: -0.5 })
    expect(best(solver, { variables: [{ name: 'x', cost: -1, integer: true }], rows }).duals).toBeUndefined()
  })
})

describe('scaling', () => {
  law(
    'is undone without a trace, by factors that are powers of two and 1 for integers',
    100,
    [solvable(true), fc.array(whole(-1e9, 1e9).map((value) => value / 7))],
    (program, noise) => {
      const indexed = indexedProgram(program)
      const scale = scaleOf(indexed)
      for (const factor of [...scale.columns, ...scale.rows, scale.objective]) {
        expect(Number.isInteger(Math.log2(factor))).toBe(true)
      }
      for (const [j, { integer }] of indexed.variables.entries())
        if (integer) expect(scale.columns[j]).toBe(1)
      const point = Float64Array.from(indexed.variables, (_, j) => noise[j] ?? j)
      const scaled = point.map((value, j) => value / (scale.columns[j] ?? Number.NaN))
      expect(unscaledPoint(scaled, scale)).toEqual(point)
    },
  )

  it('leaves bytes, seconds and counts with numbers about 1', () => {
    const indexed = indexedProgram({
      variables: [
        { name: 'bytes', cost: 3e-12, upper: 9e10 },
        { name: 'more', cost: 2e-12, upper: 5e10 },
      ],
      rows: [
        { name: 'memory', terms: { bytes: 1, more: 1 }, upper: 8.5e10 },
        { name: 'seconds', terms: { bytes: 4e-13, more: 7e-13 }, lower: 2e-3 },
      ],
    })
    const { variables, rows } = scaledProgram(indexed, scaleOf(indexed))
    const numbers = [
      ...variables.flatMap(({ cost, upper }) => [cost, upper]),
      ...rows.flatMap(({ terms, lower, upper }) => [
        ...terms.map(({ coefficient }) => coefficient),
        lower,
        upper,
      ]),
    ]
    for (const size of numbers.map(Math.abs).filter(Number.isFinite)) {
      expect(size).toBeGreaterThan(1 / 64)
      expect(size).toBeLessThan(64)
    }
  })
})

describe('the certificate', () => {
  const program: LinearProgram = {
    variables: [
      { name: 'layers', cost: -1e-3, upper: 80, integer: true },
      { name: 'bytes', cost: 1e-12, upper: 9e10 },
    ],
    rows: [{ name: 'memory', terms: { layers: 1e9, bytes: 1 }, upper: 9e10 }],
  }
  const indexed = indexedProgram(program)
  const scale = scaleOf(indexed)
  const kindOf = (layers: number, bytes: number) => {
    const certificate = certify(indexed, scale, Float64Array.of(layers, bytes))
    return certificate.certified ? 'certified' : certificate.violation.kind
  }

  it('takes a point that is one, and computes its objective again', () => {
    expect(kindOf(80, 1e10)).toBe('certified')
    const certificate = certify(indexed, scale, Float64Array.of(79.9999999, 0))
    expect(certificate).toEqual({ certified: true, point: Float64Array.of(80, 0), objective: -0.08 })
  })

  it('names what a point violates', () => {
    expect(kindOf(80, 1.0001e10)).toBe('row')
    expect(kindOf(81, 0)).toBe('bound')
    expect(kindOf(10, -1e6)).toBe('bound')
    expect(kindOf(79.5, 0)).toBe('integrality')
    expect(kindOf(Number.NaN, 0)).toBe('not-a-number')
    expect(kindOf(0, Infinity)).toBe('not-a-number')
  })

  law(
    'rejects an optimum that is moved out of what holds it',
    100,
    [solvable(true), fc.nat(), whole(-5, 0)],
    (program, pick, exponent) => {
      const indexed = indexedProgram(program)
      const scale = scaleOf(indexed)
      const point = vectorOf(program, best(javascriptLpSolver, program))
      expect(certify(indexed, scale, point).certified).toBe(true)
      const j = pick % program.variables.length
      const { lower = 0, upper = 0 } = program.variables[j] ?? {}
      const beyond = 10 ** exponent * ((scale.columns[j] ?? 1) + Math.max(-lower, upper))
      for (const outside of [upper + beyond, lower - beyond]) {
        expect(certify(indexed, scale, point.with(j, outside)).certified).toBe(false)
      }
    },
  )

  it('lets no multipliers prove a bound above a point that exists', () => {
    const multipliers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 })
    forAll(100, [solvable(true), multipliers], (program, list) => {
      const indexed = indexedProgram(program)
      const scale = scaleOf(indexed)
      const { objective } = best(javascriptLpSolver, program)
      const y = Float64Array.from(indexed.rows, (_, i) => (list[i] ?? 0) * (scale.rows[i] ?? 1))
      const duals = y.map((each) => each / scale.objective)
      expect(lagrangianBound(indexed, scale, duals)).toBeLessThanOrEqual(objective + rounding(program))
      expect(provesInfeasible(indexed, scale, y)).toBe(false)
    })
  })
})

describe('an engine that is wrong', () => {
  const program: LinearProgram = {
    variables: [
      { name: 'x', cost: -1 },
      { name: 'y', cost: -1, upper: 3 },
    ],
    rows: [{ name: 'sum', terms: { x: 1, y: 1 }, upper: 4 }],
  }
  const scale = scaleOf(indexedProgram(program))
  const scaled = (x: number, y: number) =>
    Float64Array.of(x, y).map((value, j) => value / (scale.columns[j] ?? 1))
  const says = (outcome: Outcome) => certifiedSolver(() => outcome)(program)

  it('is believed no point outside the programme', () => {
    const solution = says({ status: 'optimal', point: scaled(4, 3), duals: Float64Array.of(0) })
    expect(solution).toEqual({ status: 'unsolved', reason: 'rejected' })
  })

  it('is believed a point inside, but not that it is the best', () => {
    const dual = -scale.objective / (scale.rows[0] ?? 1)
    const point = scaled(1, 2)
    expect(says({ status: 'optimal', point, duals: Float64Array.of(dual) })).toMatchObject({
      status: 'feasible',
      point: { objective: -3 },
      bound: -4,
    })
    expect(says({ status: 'optimal', point })).toMatchObject({ status: 'feasible', bound: -Infinity })
    expect(says({ status: 'optimal', point: scaled(1, 3), duals: Float64Array.of(dual) }).status).toBe(
      'optimal',
    )
  })

  it('is not believed that there is no point, nor that there is no least objective', () => {
    const unsolved = { status: 'unsolved', reason: 'rejected' }
    expect(says({ status: 'infeasible' })).toEqual(unsolved)
    expect(says({ status: 'infeasible', ray: Float64Array.of(1) })).toEqual(unsolved)
    expect(says({ status: 'unbounded' })).toEqual(unsolved)
    const bounded = certifiedSolver(() => ({ status: 'unbounded' }))
    expect(bounded({ variables: [{ name: 'x', cost: 1 }], rows: [] })).toEqual(unsolved)
  })

  it('is crashed where it throws, and out of time where it stops', () => {
    const throws = certifiedSolver(() => {
      throw new Error('memory access out of bounds')
    })
    expect(throws(program)).toEqual({ status: 'unsolved', reason: 'crashed' })
    expect(says({ status: 'stopped' })).toEqual({ status: 'unsolved', reason: 'deadline' })
  })
})
