/**
 * CPU time of whole answers in a process of their own: the first, which also compiles the code, and warm ones, as
 * multiples of a fixed kernel (kernel.ts). Covered layouts are accounted for, nearly all by a proof that they are no
 * better; evaluated ones were costed completely.
 */
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { optimized } from '../../src/modes/modes.ts'
import { endless } from '../../src/patience.ts'
import { kernelMilliseconds } from './kernel.ts'
import { questionNamed } from './questions.ts'
import { cpuMilliseconds, repeated } from './stopwatch.ts'

const warming = 5
const runs = 5

export async function searchRow(name: string) {
  // Read anew each time, as a service does: what is kept with a question would be found again.
  const answer = () => optimized(questionNamed(name), javascriptLpSolver, endless)
  const first = cpuMilliseconds(answer)
  for (let turn = 0; turn < warming; turn++) answer()
  const kernel = kernelMilliseconds()
  const warm = repeated(runs, answer, cpuMilliseconds)
  const { search } = answer()
  return {
    question: name,
    'first ms': first,
    'warm ms': warm.median,
    least: warm.least,
    most: warm.most,
    'kernel ms': kernel,
    'warm/kernel': warm.median / kernel,
    covered: search.enumerated,
    evaluated: search.evaluated,
    'covered/s': (1000 * search.enumerated) / warm.median,
  }
}
