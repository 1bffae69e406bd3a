/** Runs in a worker thread: answers requests with the domain, its solver and the clock. Arguments and results are structured clones. */
import { performance } from 'node:perf_hooks'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { alone, type Crew } from '../../src/crew.ts'
import * as modes from '../../src/modes/modes.ts'
import type { Answer, Inspection, Question, Trial, Verdict } from '../../src/modes/question.ts'
import { type Patience, shares } from '../../src/patience.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { Validation } from '../../src/validate.ts'
import { loadCatalogue } from '../catalogue.ts'
import { ProblemError } from '../problems.ts'
import { calibrationReport } from '../report/calibration.ts'
import { collectiveReport } from '../report/collective.ts'
import { comparisonReport } from '../report/comparison.ts'
import { evaluationReport } from '../report/evaluation.ts'
import { plansReport } from '../report/plans.ts'
import type { CalibrateRequest } from '../schemas/calibrate.ts'
import type { CollectiveRequest } from '../schemas/collective.ts'
import type { Comparison } from '../schemas/compare.ts'
import type { EvaluateAsked } from '../schemas/evaluate.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateAsked } from '../schemas/validate.ts'
import { calibrateBody } from './calibration.ts'
import { compareBody } from './comparison.ts'
import { crewOf, Dismissed, disband, isDisbanded } from './crew.ts'
import {
  collectiveBody,
  evaluateBody,
  evaluateQuestion,
  optimizeBody,
  optimizeQuestion,
  trialIn,
  validateBody,
  validateQuestion,
} from './desk.ts'
import { type Errand, isAskedToStop, patienceOf, wasCut } from './errand.ts'
import { regretOf } from './regret.ts'
import { type Reply, replied } from './reply.ts'
import type { Costs } from './told-in-file.ts'

const solver = javascriptLpSolver
const catalogue = loadCatalogue()
const clock = () => performance.now()

export function optimize({ subject, ...terms }: Errand<OptimizeRequest>): Reply {
  const patience = patienceOf(terms, clock)
  const { crew: memory, flags } = terms
  const crew = memory ? crewOf({ memory, leads: true, apart: () => wasCut(flags) }) : alone
  const searched = (asked: Question) => {
    try {
      return optimized(asked, patience, crew)
    } finally {
      if (memory) disband(memory)
    }
  }
  return replied(
    () => {
      const asked = optimizeQuestion(subject, catalogue)
      return optimizeBody(subject, asked, searched(asked))
    },
    { timed: true, tell: terms.tell, report: plansReport },
  )
}

/** Helps another thread that answers the same request, until no work is left or this thread is needed elsewhere. */
export function help({ subject, flags, crew: memory }: Errand<OptimizeRequest>): void {
  if (!memory) return
  const apart = () => {
    if (isAskedToStop(flags) || isDisbanded(memory)) throw new Dismissed()
    return false
  }
  try {
    optimized(optimizeQuestion(subject, catalogue), () => apart, crewOf({ memory, leads: false, apart }))
  } catch (error) {
    // The leader reports why a request is refused.
    if (!(error instanceof Dismissed || error instanceof ProblemError)) throw error
  }
}

export function evaluate({ subject, ...terms }: Errand<EvaluateAsked>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(
    () => {
      const asked = evaluateQuestion(subject, catalogue)
      const verdict = evaluated(asked.trial, patience)
      const regret = asked.request.regret
        ? regretOf(asked.trial, verdict, { optimized }, patience)
        : undefined
      return evaluateBody(asked, verdict, regret, costs(patience))
    },
    { tell: terms.tell, report: evaluationReport },
  )
}

export function validate({ subject, ...terms }: Errand<ValidateAsked>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(() => {
    const asked = validateQuestion(subject, catalogue)
    return validateBody(asked, validated(asked.inspection, patience), costs(patience))
  })
}

export function calibrate({ subject, ...terms }: Errand<CalibrateRequest>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(() => calibrateBody(subject, catalogue, patience(shares.search)), {
    tell: terms.tell,
    report: calibrationReport,
  })
}

export function compare({ subject, ...terms }: Errand<Comparison>): Reply {
  const patience = patienceOf(terms, clock)
  return replied(() => compareBody(subject, catalogue, { optimized, evaluated }, patience), {
    tell: terms.tell,
    report: comparisonReport,
  })
}

export function collective({ subject, ...terms }: Errand<CollectiveRequest>): Reply {
  patienceOf(terms, clock)
  return replied(() => collectiveBody(subject, catalogue), { tell: terms.tell, report: collectiveReport })
}

export function costs(patience: Patience): Costs {
  return (request) => (patience(1)() ? null : evaluated(trialIn(request, null, catalogue).trial, patience))
}

export function optimized(question: Question, patience: Patience, crew: Crew = alone): Answer {
  return modes.optimized(question, solver, patience, crew)
}

export function evaluated(trial: Trial, patience: Patience): Verdict {
  return modes.evaluated(trial, solver, patience)
}

export function validated(inspection: Inspection, patience: Patience): Validation<Plan | ServePlan> {
  return modes.validated(inspection, solver, patience)
}
