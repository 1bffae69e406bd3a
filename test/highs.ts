/**
 * Adapter over HiGHS 1.15 (wasm, one thread): any LP or MILP, with duals and proven bounds. Loading the wasm takes some
 * tens of milliseconds and is asynchronous; solving is synchronous, and blocks until it is done or the deadline passes,
 * which HiGHS tests only between pieces of work: a hard deadline needs a thread that can be killed.
 *
 * Its tolerances are absolute, and coefficients below 1e-9 are dropped, neither of which matters for a programme scaled
 * to about 1. At its time limit without a point it reports an infinite objective and `primal_solution_status` 0: the
 * status of the point is read, never the objective. Presolve may leave open whether a programme is unbounded or
 * infeasible (status 9), or end unbounded ones with status unknown (15): both are treated as unbounded. It has been
 * seen to call an unbounded LP infeasible, an unbounded MILP solved, and a MILP with a point infeasible.
 *
 * The wasm can abort (it did on a random MILP with unbounded integers), and an aborted instance never answers again:
 * another one is loaded, and until it is ready, in a later turn of the event loop, every solve is `crashed`.
 */
import load, { type Highs, type Model, type ModelData } from 'highs'
import { certifiedSolver } from '../solvers/certified-solver.ts'
import type { Engine, Outcome } from '../solvers/engine.ts'
import { type IndexedProgram, isMixedInteger } from '../solvers/indexed-program.ts'
import type { Solver } from '../solvers/linear-program.ts'

const relativeGap = 1e-9

const options = {
  output_flag: false,
  random_seed: 0,
  mip_rel_gap: relativeGap,
  mip_abs_gap: relativeGap,
  // Presolve of HiGHS 1.15 was seen to lose the optimum of a small mixed programme; programmes here are small without it.
  presolve: 'off',
}

/** Ten times the least that HiGHS takes. Searches for integers keep the defaults at first: with these, one aborted. */
const tightOptions = {
  primal_feasibility_tolerance: 1e-9,
  dual_feasibility_tolerance: 1e-9,
  mip_feasibility_tolerance: 1e-9,
}

export async function loadHighs(): Promise<Solver> {
  let engine = engineOf(await load())
  let reloading = false

  async function reload(): Promise<void> {
    if (reloading) return
    reloading = true
    try {
      engine = engineOf(await load())
    } finally {
      reloading = false
    }
  }

  return certifiedSolver((program, remaining, strict) => {
    try {
      return engine(program, remaining, strict)
    } catch (crash) {
      // What cannot be loaded now is tried again at the next solve.
      if (crash instanceof Error && crash.name === 'RuntimeError') reload().catch(() => undefined)
      throw crash
    }
  })
}

function engineOf(highs: Highs): Engine {
  const { optimal, infeasible, unbounded, unboundedOrInfeasible, unknown, timeLimit } =
    highs.constants.modelStatus
  const { feasible: hasPoint } = highs.constants.solutionStatus
  const attempt = (
    program: IndexedProgram,
    remaining: () => number,
    strict: boolean,
    seed: number,
  ): Outcome =>
    highs.withModel(modelData(program, highs), (model): Outcome => {
      const tight = strict || !isMixedInteger(program)
      model.options.set({ ...options, ...(tight ? tightOptions : {}), random_seed: seed })
      if (Number.isFinite(remaining())) model.options.set('time_limit', Math.max(remaining(), 1) / 1000)
      const { modelStatus } = model.run()
      switch (modelStatus) {
        case optimal:
          return { status: 'optimal', ...found(program, model) }
        case infeasible:
          return {
            status: 'infeasible',
            ray: isMixedInteger(program) ? undefined : model.getDualRay()?.values,
          }
        case unbounded:
        case unboundedOrInfeasible:
        case unknown:
          return { status: 'unbounded' }
        case timeLimit:
          return model.info.get('primal_solution_status') === hasPoint
            ? { status: 'feasible', ...found(program, model) }
            : { status: 'stopped' }
        default:
          throw new Error(`HiGHS ended with status ${modelStatus}`)
      }
    })
  return (program, remaining, strict) => {
    const first = attempt(program, remaining, strict, 0)
    if (first.status !== 'infeasible' || !isMixedInteger(program)) return first
    // Nothing proves that integers have no point, and it was seen to miss one that satisfies every row: two ways must agree.
    return attempt(program, remaining, strict, 1)
  }
}

function found(program: IndexedProgram, model: Model) {
  const { colValue, rowDual } = model.getSolution()
  if (!isMixedInteger(program)) return { point: colValue, duals: rowDual }
  return { point: colValue, bound: Number(model.info.get('mip_dual_bound')) }
}

function modelData({ variables, rows }: IndexedProgram, highs: Highs): ModelData {
  const { continuous, integer } = highs.constants.variableType
  const terms = rows.flatMap((row) => row.terms)
  const starts = [0]
  let end = 0
  for (const row of rows) {
    end += row.terms.length
    starts.push(end)
  }
  return {
    numCols: variables.length,
    numRows: rows.length,
    colCost: variables.map(({ cost }) => cost),
    colLower: variables.map(({ lower }) => lower),
    colUpper: variables.map(({ upper }) => upper),
    rowLower: rows.map(({ lower }) => lower),
    rowUpper: rows.map(({ upper }) => upper),
    matrix: {
      format: 'csr',
      numRows: rows.length,
      numCols: variables.length,
      starts,
      indices: terms.map(({ column }) => column),
      values: terms.map(({ coefficient }) => coefficient),
    },
    integrality: variables.map((variable) => (variable.integer ? integer : continuous)),
  }
}
