/** The solver of the service and the one that it is held to, by their names. */
import { javascriptLpSolver } from '../solvers/javascript-lp-solver.ts'
import type { Solver } from '../solvers/linear-program.ts'
import { loadHighs } from './highs.ts'

export const highs = await loadHighs()

export const solvers: readonly (readonly [name: string, solver: Solver])[] = [
  ['javascript-lp-solver', javascriptLpSolver],
  ['HiGHS', highs],
]
