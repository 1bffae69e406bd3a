/** Runs in a worker thread: the domain, with its solvers and the clock, behind structured clone. */
import { performance } from 'node:perf_hooks'
import { loadHighs } from '../solvers/highs.ts'
import { javascriptLpSolver } from '../solvers/javascript-lp-solver.ts'
import { infer } from '../src/infer.ts'
import { optimize as optimizeTraining, type Solvers } from '../src/optimize.ts'
import type { Patience } from '../src/patience.ts'
import { evaluateRemedied } from '../src/remedied.ts'
import { evaluateInferenceRemedied } from '../src/remedied-inference.ts'
import { serve } from '../src/serve.ts'
import { type Errand, patienceOf } from './errand.ts'
import type { Answer, Question, Trial, Verdict } from './question.ts'

const solvers: Solvers = { small: javascriptLpSolver, large: await loadHighs() }

const clock = () => performance.now()

export function optimize({ subject, ...terms }: Errand<Question>): Answer {
  return optimized(subject, patienceOf(terms, clock))
}

/** One given plan is costed to the end: what it leaves open is little. */
export function evaluate({ subject, ...terms }: Errand<Trial>): Verdict {
  patienceOf(terms, clock)
  return evaluated(subject)
}

export function optimized(question: Question, patience: Patience): Answer {
  switch (question.mode) {
    case 'train':
      return optimizeTraining(question.problem, solvers, patience)
    case 'prefill':
    case 'generate':
      return infer(question.problem, solvers, patience)
    case 'serve':
      return serve(question.problem, solvers, patience)
  }
}

export function evaluated(trial: Trial): Verdict {
  return trial.mode === 'train'
    ? evaluateRemedied(trial.problem, trial.sketch, solvers)
    : evaluateInferenceRemedied(trial.problem, trial.sketch, solvers)
}
