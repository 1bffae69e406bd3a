/**
 * The two solvers against each other and against enumeration, on programmes with small whole numbers (so that no status
 * depends on rounding), as they are and with rows, columns and costs in units that are powers of ten apart.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import type { LinearProgram, Row, Solution, Variable } from '../../solvers/linear-program.ts'
import { forAll, law, whole } from '../law.ts'
import { highs, solvers } from '../solvers.ts'

interface Size {
  readonly variables: number
  readonly rows: number
  /** Powers of ten that units lie apart. */
  readonly apart: number
}

/** A bound is there or not, as often as not. */
const maybe = <T>(bound: fc.Arbitrary<T>) => fc.option(bound, { nil: undefined })

function variableOf(j: number, integer: boolean, unit: number, costUnit: number): fc.Arbitrary<Variable> {
  const lower = integer
    ? whole(-3, 2)
    : fc.oneof(whole(-3, 2), fc.constant(-Infinity), fc.constant(undefined))
  const span = integer ? whole(0, 6) : maybe(whole(0, 9))
  return fc.record({ cost: whole(-9, 9), lower, span }).map(({ cost, lower, span }) => ({
    name: `x${j}`,
    cost: (cost * costUnit) / unit,
    ...(lower === undefined ? {} : { lower: lower * unit }),
    ...(span === undefined
      ? {}
      : { upper: (Number.isFinite(lower ?? 0) ? (lower ?? 0) + span : span) * unit }),
    ...(integer ? { integer } : {}),
  }))
}

function rowOf(i: number, units: readonly number[], unit: number): fc.Arbitrary<Row> {
  const coefficients = fc.tuple(...units.map(() => fc.oneof(fc.constant(0), whole(-9, 9))))
  const sides = fc.oneof(
    whole(-12, 25).map((upper) => ({ upper: upper * unit })),
    whole(-12, 25).map((lower) => ({ lower: lower * unit })),
    whole(-12, 25).map((both) => ({ lower: both * unit, upper: both * unit })),
    fc.tuple(whole(-12, 25), whole(0, 9)).map(([lower, span]) => ({
      lower: lower * unit,
      upper: (lower + span) * unit,
    })),
  )
  return fc.tuple(coefficients, sides).map(([list, bounds]) => ({
    name: `r${i}`,
    terms: Object.fromEntries(list.map((value, j) => [`x${j}`, (value * unit) / (units[j] ?? 1)])),
    ...bounds,
  }))
}

/** `integers` says which variables are whole: all, none, or each as it comes. */
function programs(integers: 'all' | 'none' | 'some', size: Size): fc.Arbitrary<LinearProgram> {
  const unit = whole(-size.apart, size.apart).map((exponent) => 10 ** exponent)
  const column = fc.tuple(integers === 'some' ? fc.boolean() : fc.constant(integers === 'all'), unit)
  return fc
    .tuple(
      fc.array(column, { minLength: 1, maxLength: size.variables }),
      fc.array(unit, { maxLength: size.rows }),
      unit,
    )
    .chain(([columns, rowUnits, costUnit]) => {
      const units = columns.map(([integer, own]) => (integer ? 1 : own))
      return fc.record({
        variables: fc.tuple(
          ...columns.map(([integer], j) => variableOf(j, integer, units[j] ?? 1, costUnit)),
        ),
        rows: fc.tuple(...rowUnits.map((own, i) => rowOf(i, units, own))),
      })
    })
}

/** Every point of the box, for programmes of integers only. */
function bruteForce({ variables, rows }: LinearProgram): number | undefined {
  let best: number | undefined
  const visit = (values: Readonly<Record<string, number>>, depth: number): void => {
    const variable = variables[depth]
    if (variable) {
      const { name, lower = 0, upper = lower } = variable
      for (let value = lower; value <= upper; value += 1) visit({ ...values, [name]: value }, depth + 1)
      return
    }
    const fits = rows.every(({ terms, lower = -Infinity, upper = Infinity }) => {
      const parts = Object.entries(terms).map(([name, coefficient]) => coefficient * (values[name] ?? 0))
      const activity = parts.reduce((sum, part) => sum + part, 0)
      const rounding = 1e-12 * parts.reduce((sum, part) => sum + Math.abs(part), 0)
      return activity >= lower - rounding && activity <= upper + rounding
    })
    if (!fits) return
    const objective = variables.reduce((sum, { name, cost }) => sum + cost * (values[name] ?? 0), 0)
    best = best === undefined ? objective : Math.min(best, objective)
  }
  visit({}, 0)
  return best
}

function objectiveOf(solution: Solution): number {
  if (solution.status !== 'optimal') throw new Error(`not optimal: ${JSON.stringify(solution)}`)
  return solution.point.objective
}

/** Relative to the terms of the objective too: a sum of large terms that comes to 0 has rounding of their size. */
function expectSame(program: LinearProgram, actual: Solution, expected: Solution): void {
  expect(actual.status).toBe(expected.status)
  if (expected.status !== 'optimal') return
  const { values, objective } = expected.point
  const terms = program.variables.map(({ name, cost }) => Math.abs(cost * (values[name] ?? 0)))
  const size = Math.max(Math.abs(objective), ...terms.map((term) => term * 1e-3))
  const noise = 1e-8 * Math.max(...program.variables.map(({ cost }) => Math.abs(cost)))
  expect(Math.abs(objectiveOf(actual) - objective)).toBeLessThanOrEqual(1e-6 * size + noise)
}

describe('the solvers agree', () => {
  it.each([
    ['LPs', 'none', { variables: 7, rows: 7, apart: 0 }, 300],
    ['badly scaled LPs', 'none', { variables: 7, rows: 7, apart: 6 }, 300],
    ['MILPs', 'some', { variables: 7, rows: 6, apart: 0 }, 300],
    ['badly scaled MILPs', 'some', { variables: 6, rows: 6, apart: 4 }, 300],
  ] as const)('on the status and the optimum of %s', (_, integers, size, numRuns) => {
    forAll(numRuns, [programs(integers, size)], (program) => {
      expectSame(program, javascriptLpSolver(program), highs(program))
    })
  })

  it('on an LP on which phase 1 of javascript-lp-solver by itself goes round for ever', () => {
    // Cost, lower bound, upper bound and coefficients of each variable; bounds of each row.
    const columns = [
      [6, -4, 4, [0, 0, -5, -4, 0, 0, 4, 0, 2, 0]],
      [6, 1, 5, [5, 0, 0, -6, -9, 0, 0, 0, 0, 0]],
      [-2, -Infinity, Infinity, [0, -7, -8, -9, -5, 0, 0, 0, 1, -5]],
      [1, -Infinity, 4, [0, 0, 0, 5, 2, -6, 5, 0, 0, 0]],
      [6, -1, Infinity, [4, 0, -9, 0, 0, 0, 0, 4, 0, 0]],
      [2, -2, Infinity, [-2, 0, 0, 0, 0, 7, 0, 0, 0, -4]],
      [6, 0, 4, [0, -9, -7, 0, 0, 0, 2, 0, 0, 0]],
      [-2, -Infinity, 4, [0, 0, -6, 0, -8, 0, -7, 0, -4, 0]],
      [-3, -Infinity, 2, [0, 0, -9, 0, 0, 0, 0, 1, 0, 0]],
      [3, 0, 9, [-4, 0, 0, 0, -5, -9, 0, 0, 7, 0]],
      [-7, 1, Infinity, [0, -6, 0, 8, 0, 0, 2, 0, -2, -4]],
      [7, 0, Infinity, [0, 0, 5, -3, 0, 0, 0, 0, 7, 0]],
      [5, 0, 3, [0, 0, 0, -6, 7, 0, 0, 0, 0, -5]],
      [-8, -1, Infinity, [7, 0, 0, 0, 0, 0, 0, -2, 0, 0]],
      [1, -Infinity, Infinity, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      [-6, 1, Infinity, [0, 0, 8, 0, 0, 0, 0, 0, 0, 0]],
    ] as const
    const sides = [
      [1, 3],
      [6, Infinity],
      [-Infinity, 4],
      [12, 12],
      [1, Infinity],
      [-Infinity, -2],
      [-Infinity, 0],
      [-Infinity, -1],
      [10, 12],
      [-Infinity, -4],
    ] as const
    const program = {
      variables: columns.map(([cost, lower, upper], j) => ({ name: `x${j}`, cost, lower, upper })),
      rows: sides.map(([lower, upper], i) => ({
        name: `r${i}`,
        terms: Object.fromEntries(columns.map(([, , , coefficients], j) => [`x${j}`, coefficients[i] ?? 0])),
        lower,
        upper,
      })),
    }
    expect(highs(program).status).toBe('unbounded')
    expect(javascriptLpSolver(program).status).toBe('unbounded')
  })

  it.each(solvers)('%s finds what enumeration finds in integer programmes', (_, solver) => {
    forAll(120, [programs('all', { variables: 5, rows: 4, apart: 0 })], (program) => {
      const best = bruteForce(program)
      const solution = solver(program)
      expect(solution.status).toBe(best === undefined ? 'infeasible' : 'optimal')
      if (best !== undefined) expect(objectiveOf(solution)).toBe(best === 0 ? 0 : best)
    })
  })

  it.each(solvers)('%s finds what enumeration finds among counts in bytes and microseconds', (_, solver) => {
    const unit = 1.37e9
    const policy = fc.record({ bytes: whole(1, 40), microseconds: whole(0, 900), most: whole(1, 8) })
    const groups = fc.array(policy, { minLength: 1, maxLength: 5 })
    forAll(100, [groups, whole(0, 400)], (policies, units) => {
      const variables = policies.map(({ microseconds, most }, j) => ({
        name: `kept${j}`,
        cost: -microseconds * 1e-6,
        upper: most,
        integer: true,
      }))
      const bytes = policies.map((group) => group.bytes * unit)
      const terms = Object.fromEntries(variables.map(({ name }, j) => [name, bytes[j] ?? 0]))
      const program = { variables, rows: [{ name: 'memory', terms, upper: (units + 0.5) * unit }] }
      expect(objectiveOf(solver(program))).toBeCloseTo(bruteForce(program) ?? Number.NaN, 12)
    })
  })

  it.each(solvers)('%s fills a knapsack as the textbook dynamic programme does', (_, solver) => {
    const item = fc.record({ weight: whole(1, 20), value: whole(1, 30) })
    forAll(60, [fc.array(item, { minLength: 1, maxLength: 12 }), whole(0, 80)], (items, capacity) => {
      const most = new Array<number>(capacity + 1).fill(0)
      for (const { weight, value } of items) {
        for (let room = capacity; room >= weight; room -= 1) {
          most[room] = Math.max(most[room] ?? 0, (most[room - weight] ?? 0) + value)
        }
      }
      const variables = items.map(({ value }, j) => ({
        name: `x${j}`,
        cost: -value,
        upper: 1,
        integer: true,
      }))
      const terms = Object.fromEntries(items.map(({ weight }, j) => [`x${j}`, weight]))
      const solution = solver({ variables, rows: [{ name: 'room', terms, upper: capacity }] })
      expect(objectiveOf(solution)).toBeCloseTo(-(most[capacity] ?? 0), 9)
    })
  })

  it.each(solvers)('%s assigns as the best of all permutations does', (_, solver) => {
    const size = 4
    const costs = fc.array(fc.array(whole(0, 50), { minLength: size, maxLength: size }), {
      minLength: size,
      maxLength: size,
    })
    forAll(40, [costs], (table) => {
      const pairs = table.flatMap((line, i) => line.map((cost, j) => ({ i, j, cost, name: `x${i}${j}` })))
      const once = (name: string, chosen: typeof pairs): Row => {
        return { name, terms: Object.fromEntries(chosen.map((pair) => [pair.name, 1])), lower: 1, upper: 1 }
      }
      const solution = solver({
        variables: pairs.map(({ name, cost }) => ({ name, cost, upper: 1, integer: true })),
        rows: table.flatMap((_, k) => [
          once(
            `worker${k}`,
            pairs.filter(({ i }) => i === k),
          ),
          once(
            `task${k}`,
            pairs.filter(({ j }) => j === k),
          ),
        ]),
      })
      const sums = permutations([0, 1, 2, 3]).map((tasks) =>
        tasks.reduce((sum, task, worker) => sum + (table[worker]?.[task] ?? 0), 0),
      )
      expect(objectiveOf(solution)).toBeCloseTo(Math.min(...sums), 9)
    })
  })
})

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length === 0) return [[]]
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  )
}

describe.each(solvers)('%s', (_, solver) => {
  it('solves programmes without rows, without variables, and without either', () => {
    expect(solver({ variables: [], rows: [] })).toEqual({
      status: 'optimal',
      point: { objective: 0, values: {}, duals: {} },
      gap: 0,
    })
    expect(solver({ variables: [], rows: [{ name: 'none', terms: {}, upper: 3 }] }).status).toBe('optimal')
    expect(solver({ variables: [], rows: [{ name: 'none', terms: {}, lower: 3 }] }).status).toBe('infeasible')
    const free = solver({ variables: [{ name: 'x', cost: 2, lower: 3, upper: 5 }], rows: [] })
    expect(free).toMatchObject({ status: 'optimal', point: { objective: 6, values: { x: 3 } } })
    expect(solver({ variables: [{ name: 'x', cost: -1 }], rows: [] }).status).toBe('unbounded')
  })

  it('tells a programme without points from one without a least objective', () => {
    const variables = [
      { name: 'x', cost: -1 },
      { name: 'y', cost: -1 },
    ]
    const open = { name: 'open', terms: { x: 1, y: -1 }, upper: 2 }
    const shut = { name: 'shut', terms: { x: 1, y: 1 }, lower: 3, upper: 2 }
    const contradiction = { name: 'contradiction', terms: { x: -1, y: 1 }, upper: -3 }
    expect(solver({ variables, rows: [open] }).status).toBe('unbounded')
    expect(solver({ variables, rows: [open, shut] }).status).toBe('infeasible')
    expect(solver({ variables, rows: [open, contradiction] }).status).toBe('infeasible')
  })

  it('sees a mixed-integer programme fall for ever, which HiGHS by itself calls solved', () => {
    const solution = solver({
      variables: [
        { name: 'x0', cost: -6, lower: 2, upper: 4, integer: true },
        { name: 'x1', cost: 6, lower: -Infinity, upper: 4 },
        { name: 'x2', cost: 0, lower: -1, upper: -1, integer: true },
        { name: 'x3', cost: -9, lower: -Infinity },
        { name: 'x4', cost: 5, lower: 2, upper: 8, integer: true },
        { name: 'x5', cost: 4, lower: -Infinity, upper: 1 },
      ],
      rows: [
        { name: 'r0', terms: { x2: -2, x4: 7 }, upper: 23 },
        { name: 'r1', terms: { x0: -7, x1: -2, x3: -5, x4: 8, x5: 9 }, lower: 12 },
        { name: 'r2', terms: { x1: 3, x3: 8, x4: -4 }, lower: 21 },
      ],
    })
    expect(solution.status).toBe('unbounded')
  })

  it('sees a linear programme fall for ever, which HiGHS by itself calls infeasible', () => {
    const solution = solver({
      variables: [
        { name: 'x0', cost: -3, lower: -Infinity },
        { name: 'x1', cost: 1, lower: -Infinity },
        { name: 'x2', cost: 0 },
        { name: 'x3', cost: -7, upper: 6 },
        { name: 'x4', cost: 9, upper: 5 },
        { name: 'x5', cost: 0, lower: -2, upper: 6 },
        { name: 'x6', cost: 8 },
      ],
      rows: [
        { name: 'r0', terms: { x0: 1, x1: 6, x2: -6 }, upper: 18 },
        { name: 'r1', terms: { x0: -7, x1: 5, x3: 4, x4: 6 }, upper: -1 },
        { name: 'r2', terms: { x0: -2, x2: 3, x3: 4, x6: 2 }, upper: -9 },
        { name: 'r3', terms: { x2: 5, x4: -8, x6: -6 }, lower: -7 },
        { name: 'r4', terms: { x1: 1 }, upper: 10 },
        { name: 'r5', terms: { x0: -2, x1: 6, x2: -8, x3: 9, x4: 8, x5: -7, x6: 2 }, upper: -2 },
        { name: 'r6', terms: { x0: 8, x1: 2, x4: -1, x5: -1 }, lower: -3 },
      ],
    })
    expect(solution.status).toBe('unbounded')
  })

  it('finds integers that have no point where their relaxation has one', () => {
    const variables = [
      { name: 'x', cost: 1, upper: 5, integer: true },
      { name: 'y', cost: 1, upper: 5, integer: true },
    ]
    const odd = { name: 'odd', terms: { x: 2, y: 2 }, lower: 3, upper: 3 }
    expect(solver({ variables, rows: [odd] }).status).toBe('infeasible')
  })

  it('takes free variables and variables with an upper bound only', () => {
    const solution = solver({
      variables: [
        { name: 'free', cost: 1, lower: -Infinity },
        { name: 'below', cost: -2, lower: -Infinity, upper: -1 },
      ],
      rows: [{ name: 'sum', terms: { free: 1, below: 1 }, lower: -10 }],
    })
    expect(solution).toMatchObject({
      status: 'optimal',
      point: { objective: -7, values: { free: -9, below: -1 } },
    })
  })

  it('keeps names that a plain object would trip over', () => {
    const solution = solver({
      variables: [
        { name: '__proto__', cost: 1, lower: 2 },
        { name: 'constructor', cost: 1 },
      ],
      rows: [{ name: 'toString', terms: { constructor: 1 }, lower: 4 }],
    })
    expect(objectiveOf(solution)).toBe(6)
  })

  it.each([
    [
      'a variable twice',
      {
        variables: [
          { name: 'x', cost: 1 },
          { name: 'x', cost: 2 },
        ],
        rows: [],
      },
    ],
    [
      'a row twice',
      {
        variables: [],
        rows: [
          { name: 'r', terms: {} },
          { name: 'r', terms: {} },
        ],
      },
    ],
    ['a term of no variable', { variables: [], rows: [{ name: 'r', terms: { x: 1 } }] }],
    ['a cost that is no number', { variables: [{ name: 'x', cost: Number.NaN }], rows: [] }],
    [
      'an infinite coefficient',
      { variables: [{ name: 'x', cost: 1 }], rows: [{ name: 'r', terms: { x: Infinity } }] },
    ],
    ['a lower bound of infinity', { variables: [{ name: 'x', cost: 1, lower: Infinity }], rows: [] }],
    [
      'an upper bound that is no number',
      { variables: [], rows: [{ name: 'r', terms: {}, upper: Number.NaN }] },
    ],
  ])('throws a RangeError at %s', (_, program) => {
    expect(() => solver(program)).toThrow(RangeError)
  })

  it('returns whole numbers where they were asked for, also from bounds that are not whole', () => {
    const solution = solver({
      variables: [{ name: 'x', cost: -1, lower: 0.3, upper: 4.7, integer: true }],
      rows: [],
    })
    expect(solution).toMatchObject({ status: 'optimal', point: { values: { x: 4 } } })
  })

  it.each([
    [1, 1.37e9, 1_369_998_926],
    [4, 5.48e9, 21_919_997_156],
    [1, 5.343e10, 53_429_990_124],
  ])('does not take %d layers for whole that lack less than a millionth of the memory', (layers, bytes, upper) => {
    const program = {
      variables: [{ name: 'layers', cost: -1e-3, upper: 8, integer: true }],
      rows: [{ name: 'memory', terms: { layers: bytes }, upper }],
    }
    expect(solver(program)).toMatchObject({ status: 'optimal', point: { values: { layers: layers - 1 } } })
  })

  it('ends at its deadline, with what it found by then or nothing', () => {
    // Market split: equalities over binaries, known to defeat branch and bound at this size.
    const columns = 40
    const rows = [0, 1, 2, 3].map((i) => {
      const coefficients = Array.from({ length: columns }, (_, j) => (((j + 7) * (i + 3) * 7919) % 99) + 1)
      const half = Math.floor(coefficients.reduce((sum, value) => sum + value, 0) / 2)
      const terms = Object.fromEntries(coefficients.map((value, j) => [`x${j}`, value]))
      return {
        name: `r${i}`,
        terms: { ...terms, [`over${i}`]: 1, [`under${i}`]: -1 },
        lower: half,
        upper: half,
      }
    })
    const program: LinearProgram = {
      variables: [
        ...Array.from({ length: columns }, (_, j) => ({ name: `x${j}`, cost: 0, upper: 1, integer: true })),
        ...rows.flatMap((_, i) => [`over${i}`, `under${i}`].map((name) => ({ name, cost: 1 }))),
      ],
      rows,
    }
    const started = performance.now()
    const solution = solver(program, { deadlineMs: 300 })
    expect(performance.now() - started).toBeLessThan(5000)
    if (solution.status === 'feasible') expect(solution.bound).toBeLessThanOrEqual(solution.point.objective)
    else expect(solution).toEqual({ status: 'unsolved', reason: 'deadline' })
    expect(solver(program, { deadlineMs: 0 })).toEqual({ status: 'unsolved', reason: 'deadline' })
  })

  law(
    'gives the same answer to the same programme',
    40,
    [programs('some', { variables: 6, rows: 5, apart: 3 })],
    (program) => {
      expect(solver(program)).toEqual(solver(program))
    },
  )
})
