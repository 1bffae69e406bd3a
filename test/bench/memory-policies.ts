/**
 * One memory policy as a programme, with both solvers, beside the closed form that the search uses: on the best layout
 * of each question, with a budget halfway between those of its leanest and its largest policy.
 */

import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../solvers/linear-program.ts'
import { costModel } from '../../src/cost/compiled-model.ts'
import { fittingMixes } from '../../src/cost/memory/remat.ts'
import { shortBytes } from '../../src/cost/memory/stage-memory.ts'
import { costing } from '../../src/plan/account/costing.ts'
import { relaxMemoryPolicy, solveMemoryPolicy } from '../../src/search/memory-policy/memory-policy.ts'
import { loadHighs } from '../highs.ts'
import { search } from '../search.ts'
import { problemNamed } from './questions.ts'
import { repeated } from './stopwatch.ts'

const runs = 15

export async function memoryPolicyRow(name: string) {
  const highs = await loadHighs()
  const numbers = halfFull(name)
  const { memory, layers, model } = numbers
  const { memoryBudget, assumptions } = model.problem
  const solved = (solver: Solver) => () => expectOptimal(solveMemoryPolicy(numbers, solver).status)
  const relaxed = (solver: Solver) => () => expectOptimal(relaxMemoryPolicy(numbers, solver).status)
  const closed = () =>
    fittingMixes(memory, layers.groups, memoryBudget, assumptions.tokensDivideFreely).length
  const microseconds = (run: () => unknown) => {
    for (let warming = 0; warming < 3; warming++) run()
    return 1000 * repeated(runs, run).median
  }
  return {
    question: name,
    policies: memory.kept.length,
    'groups of stages': layers.groups.length,
    'closed form us': microseconds(closed),
    'LP, JavaScript us': microseconds(relaxed(javascriptLpSolver)),
    'LP, HiGHS us': microseconds(relaxed(highs)),
    'MILP, JavaScript us': microseconds(solved(javascriptLpSolver)),
    'MILP, HiGHS us': microseconds(solved(highs)),
  }
}

function halfFull(name: string) {
  const model = costModel({ ...problemNamed(name), top: 1 })
  const [best] = search(model).candidates
  if (!best) throw new Error(`${name}: nothing fits`)
  const numbers = costing(model, best)
  const { memory, layers } = numbers
  const fills = memory.kept.map((_, policy) =>
    shortBytes(memory, layers.groups, { policy, other: policy, count: 0 }, 0),
  )
  const memoryBudget = (Math.min(...fills) + Math.max(...fills)) / 2
  return { ...numbers, model: { ...model, problem: { ...model.problem, memoryBudget } } }
}

/** A solver that gives up is quick, and its time worth nothing. */
function expectOptimal(status: string): void {
  if (status !== 'optimal') throw new Error(`The solver ended as ${status}`)
}
