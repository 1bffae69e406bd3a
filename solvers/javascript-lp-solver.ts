/**
 * Adapter over javascript-lp-solver 1.0.3: a dense tableau simplex with branch and bound in plain JavaScript,
 * synchronous and quick for small programmes (up to some 40 integer variables or 300 nonzeros; larger ones are for
 * HiGHS).
 *
 * Parts of the package that are not used, and why:
 *
 *   presolve      treats every variable as nonnegative, and a bound of 0 as none
 *   unrestricted  its ratio test is wrong for them: a free variable is x = p - q here
 *   JSON models   a misspelt key is silently ignored: the model is built by calls
 *   timeout       is tested only between nodes, and its cycle detection finds no cycles: its phase 1 can cycle for
 *                 ever, and did on 36 of 5000 random LPs of some 25 rows and columns. With no negative costs it is a
 *                 dual simplex, so it runs first with arbitrary positive costs, and phase 2 then with the true ones: 1
 *                 of the same 5000 cycles
 *
 * Pivots are still counted: a simplex run ends after `pivotsPerLine` for every row and column, a search without a
 * deadline after `pivotsAtMost`, anything at its deadline. What a search found by then is kept. A search is sure to end
 * by itself only if integer variables are bounded.
 *
 * The relaxation is solved first: it is often integral already, its final tableau has the duals that bound the search
 * (or the Farkas multipliers), and branching on an unbounded one would never end.
 */
import { certifiedSolver } from './certified-solver.ts'
import type { Outcome, Remaining } from './engine.ts'
import { type IndexedProgram, integralityTolerance } from './indexed-program.ts'
import type { Solver } from './linear-program.ts'
import {
  type Built,
  basicPoint,
  build,
  duals,
  farkasRay,
  type Model,
  pointOf,
  precision,
  setCosts,
} from './tableau.ts'
import { at, type Vector } from './vector.ts'

const pivotsPerLine = 100
const pivotsAtMost = 200_000
/** Number of pivots between two looks at the clock. */
const pivotsPerLook = 16

class OutOfPivots extends Error {}

export const javascriptLpSolver: Solver = certifiedSolver((program, remaining) => {
  const built = build(program)
  limitPivots(built.model, remaining)
  const relaxed = relaxation(program, built)
  if (relaxed.status !== 'optimal' || isWhole(program, relaxed.point)) return relaxed
  return branchAndBound(built, relaxed)
})

function relaxation(program: IndexedProgram, built: Built): Outcome {
  const { model } = built
  const { tableau } = model
  tableau.setModel(model)
  model.tableauInitialized = true
  if (!finishes(() => tableau.simplex())) return { status: 'stopped' }
  if (!tableau.feasible) return { status: 'infeasible', ray: farkasRay(program, built) }
  setCosts(built)
  if (!finishes(() => tableau.simplex())) return { status: 'stopped' }
  if (!tableau.bounded) return { status: 'unbounded' }
  return { status: 'optimal', point: basicPoint(built), duals: duals(program, built) }
}

function branchAndBound(built: Built, relaxed: Extract<Outcome, { readonly point: Vector }>): Outcome {
  const { model } = built
  const finished = finishes(() => model.tableau.branchAndCut())
  const best = model.solutions?.at(-1)
  if (!best) return { status: finished ? 'infeasible' : 'stopped' }
  const point = pointOf(built, ({ id }) => best[id] ?? 0)
  if (!finished) return { ...relaxed, status: 'feasible', point }
  // The search prunes by objectives rounded to the precision.
  const offset = built.columns.reduce((sum, column) => sum + column.cost * column.offset, 0)
  const bound = offset + (best.result ?? -Infinity) - 2 * precision
  return { ...relaxed, status: 'optimal', point, bound }
}

function isWhole({ variables }: IndexedProgram, point: Vector): boolean {
  return variables.every(({ integer }, j) => {
    const value = at(point, j)
    return !integer || Math.abs(value - Math.round(value)) <= integralityTolerance / 10
  })
}

function limitPivots({ tableau }: Model, remaining: Remaining): void {
  const limited = Number.isFinite(remaining())
  const pivot = tableau.pivot.bind(tableau)
  const simplex = tableau.simplex.bind(tableau)
  let pivots = 0
  let ofThisRun = 0
  tableau.simplex = () => {
    ofThisRun = 0
    return simplex()
  }
  tableau.pivot = (row, column) => {
    pivots += 1
    ofThisRun += 1
    const spins = ofThisRun > pivotsPerLine * (tableau.height + tableau.width)
    const late = limited ? pivots % pivotsPerLook === 0 && remaining() <= 0 : pivots > pivotsAtMost
    if (spins || late) throw new OutOfPivots()
    pivot(row, column)
  }
}

/** Whether the package ended by itself, before the limit of pivots or of time. */
function finishes(run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (error instanceof OutOfPivots) return false
    throw error
  }
}
