/**
 * Wall time of whole searches in a process of their own: the first, which also compiles the code, then warm ones, and
 * apart what derives the cost model and what searches. The rest of `optimize` assembles plans and sensitivities.
 */
import { costModel, javascriptLpSolver, optimize, search } from './built.ts'
import { problemNamed, type QuestionName } from './questions.ts'
import { milliseconds, repeated } from './stopwatch.ts'

const runs = 5

export async function searchRow(name: QuestionName) {
  const problem = problemNamed(name)
  const solver = javascriptLpSolver
  const first = milliseconds(() => optimize(problem, solver))
  const warm = repeated(runs, () => optimize(problem, solver))
  const model = costModel(problem)
  const { search: account } = optimize(problem, solver)
  return {
    question: name,
    'first ms': first,
    'warm ms': warm.median,
    least: warm.least,
    most: warm.most,
    'cost model ms': repeated(runs, () => costModel(problem)).median,
    'search ms': repeated(runs, () => search(model)).median,
    layouts: account.enumerated,
    evaluated: account.evaluated,
    'layouts/s': (1000 * account.enumerated) / warm.median,
  }
}
