/** Runs in a worker thread: requests to answers, with the domain, its solver and the clock, behind structured clone. */
import { performance } from 'node:perf_hooks'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { infer } from '../../src/infer.ts'
import { optimize as optimizeTraining } from '../../src/optimize.ts'
import { type Patience, shares } from '../../src/patience.ts'
import { evaluateRemedied } from '../../src/remedied.ts'
import { evaluateInferenceRemedied } from '../../src/remedied-inference.ts'
import { serve } from '../../src/serve.ts'
import type { Validation } from '../../src/validate.ts'
import { validatePhase } from '../../src/validation/phase.ts'
import { validateTraining } from '../../src/validation/training.ts'
import { loadCatalogue } from '../catalogue.ts'
import type { CalibrateRequest } from '../schemas/calibrate.ts'
import type { CollectiveRequest } from '../schemas/collective.ts'
import type { Comparison } from '../schemas/compare.ts'
import type { EvaluateLaunchRequest, EvaluateRequest } from '../schemas/evaluate.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateLaunchRequest, ValidateRequest } from '../schemas/validate.ts'
import { calibrateBody } from './calibration.ts'
import { compareBody } from './comparison.ts'
import {
  collectiveBody,
  evaluateBody,
  evaluateQuestion,
  optimizeBody,
  optimizeQuestion,
  validateBody,
  validateQuestion,
} from './desk.ts'
import { type Errand, patienceOf } from './errand.ts'
import type { Answer, Inspection, Question, Trial, Verdict } from './question.ts'
import { regretOf } from './regret.ts'
import { type Reply, replied } from './reply.ts'
import { tellers } from './tellers.ts'

const solver = javascriptLpSolver
const catalogue = loadCatalogue()
const clock = () => performance.now()

export function optimize({ subject, ...terms }: Errand<OptimizeRequest>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(
    () => {
      const asked = optimizeQuestion(subject, catalogue)
      return optimizeBody(subject, asked, optimized(asked, patience))
    },
    { timed: true, tell: terms.tell, tellers: tellers.optimize },
  )
}

export function evaluate({ subject, ...terms }: Errand<EvaluateRequest | EvaluateLaunchRequest>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(
    () => {
      const asked = evaluateQuestion(subject, catalogue)
      const verdict = evaluated(asked.trial, patience)
      if (!asked.request.regret) return evaluateBody(asked, verdict)
      return evaluateBody(asked, verdict, regretOf(asked.trial, verdict, { optimized, evaluated }, patience))
    },
    { tell: terms.tell, tellers: tellers.evaluate },
  )
}

export function validate({ subject, ...terms }: Errand<ValidateRequest | ValidateLaunchRequest>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(() => {
    const asked = validateQuestion(subject, catalogue)
    return validateBody(asked, validated(asked.inspection, patience))
  })
}

export function calibrate({ subject, ...terms }: Errand<CalibrateRequest>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(() => calibrateBody(subject, catalogue, patience(shares.search)), {
    tell: terms.tell,
    tellers: tellers.calibrate,
  })
}

export function compare({ subject, ...terms }: Errand<Comparison>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(() => compareBody(subject, catalogue, { optimized, evaluated }, patience), {
    tell: terms.tell,
    tellers: tellers.compare,
  })
}

export function collective({ subject, ...terms }: Errand<CollectiveRequest>): Reply {
  patienceOf(terms, clock)
  return replied(() => collectiveBody(subject, catalogue), { tell: terms.tell, tellers: tellers.collective })
}

export function optimized(question: Question, patience: Patience): Answer {
  switch (question.mode) {
    case 'train':
      return optimizeTraining(question.problem, solver, patience)
    case 'prefill':
    case 'generate':
      return infer(question.problem, solver, patience)
    case 'serve':
      return serve(question.problem, solver, patience)
  }
}

/** One given plan is costed to the end, as what it leaves open is little; what would make it fit has its share of the time. */
export function evaluated(trial: Trial, patience: Patience): Verdict {
  const stop = patience(shares.suggestions)
  return trial.mode === 'train'
    ? evaluateRemedied(trial.problem, trial.sketch, solver, stop)
    : evaluateInferenceRemedied(trial.problem, trial.sketch, solver, stop)
}

/** The plan, and the best that there is: the search has what time the plan leaves it. */
export function validated({ trial, require }: Inspection, patience: Patience): Validation {
  return trial.mode === 'train'
    ? validateTraining(trial.problem, trial.sketch, require, solver, patience)
    : validatePhase(trial.problem, trial.sketch, require, solver, patience)
}
