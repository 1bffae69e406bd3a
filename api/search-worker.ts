/** Runs in a worker thread: the domain, with its solvers, behind structured clone. */
import { loadHighs } from '../solvers/highs.ts'
import { javascriptLpSolver } from '../solvers/javascript-lp-solver.ts'
import { infer } from '../src/infer.ts'
import { optimize as optimizeTraining, type Solvers } from '../src/optimize.ts'
import { evaluateRemedied } from '../src/remedied.ts'
import { evaluateInferenceRemedied } from '../src/remedied-inference.ts'
import { serve } from '../src/serve.ts'
import type { Answer, Question, Trial, Verdict } from './question.ts'

const solvers: Solvers = { small: javascriptLpSolver, large: await loadHighs() }

export function optimize(question: Question): Answer {
  switch (question.mode) {
    case 'train':
      return optimizeTraining(question.problem, solvers)
    case 'prefill':
    case 'generate':
      return infer(question.problem, solvers)
    case 'serve':
      return serve(question.problem, solvers)
  }
}

export function evaluate(trial: Trial): Verdict {
  return trial.mode === 'train'
    ? evaluateRemedied(trial.problem, trial.sketch, solvers)
    : evaluateInferenceRemedied(trial.problem, trial.sketch, solvers)
}

/** Answered once everything above is loaded. */
export function ready(): true {
  return true
}
