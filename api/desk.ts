/**
 * From a request, held to its schema, to what a planner is asked, and from its answer to the body of the response in the words of the
 * request. All that takes longer the larger the numbers of a request are happens here and behind it, in a worker, under the deadline.
 */
import { collectiveEstimate } from '../src/collectives.ts'
import type { Validation } from '../src/validate.ts'
import type { Catalogue } from './catalogue.ts'
import { timedOut } from './deadline.ts'
import { refuseUncosted } from './not-offered.ts'
import { faultyValue, ProblemError } from './problems.ts'
import type { Answer, Inspection, Trial, Verdict } from './question.ts'
import type { CollectiveRequest } from './schemas/collective.ts'
import { type EvaluateRequest, evaluateRequest } from './schemas/evaluate.ts'
import type { OptimizeRequest } from './schemas/optimize.ts'
import type { ValidateRequest } from './schemas/validate.ts'
import { assumptionsOf, basisOf } from './translate/assumptions.ts'
import { checksAsWritten } from './translate/check.ts'
import { hardwareOf } from './translate/hardware.ts'
import { problemOf, type Translation } from './translate/problem.ts'
import { inWordsOf, asWritten as suggestionsAsWritten } from './translate/suggestion.ts'
import { asWritten, trialOf } from './translate/trial.ts'
import { refuseUnpriced } from './translate/unpriced.ts'

export function optimizeQuestion(request: OptimizeRequest, catalogue: Catalogue): Translation {
  const translation = problemOf(request, catalogue)
  const { problem } = translation
  refuseUncosted(problem.model, problem.workload)
  refuseUnpriced(problem)
  return translation
}

export function optimizeBody(request: OptimizeRequest, { mode, warnings }: Translation, answer: Answer) {
  const { plans, unlaunchable, search } = answer
  if (plans.length === 0 && !unlaunchable && !search.exact) {
    const left = `${search.unexamined} of ${search.enumerated} layouts were not looked at, and no plan was found`
    throw timedOut(request.timeoutMs, left)
  }
  return { mode, ...inWordsOf(request, answer), warnings: [...warnings, ...answer.warnings] }
}

export type OptimizeBody = ReturnType<typeof optimizeBody>

export interface Asked {
  readonly trial: Trial
  readonly warnings: readonly string[]
}

export function evaluateQuestion(request: EvaluateRequest, catalogue: Catalogue): Asked {
  const { warnings, ...question } = problemOf(request, catalogue)
  refuseUncosted(question.problem.model, question.problem.workload)
  return { trial: trialOf(question, request.plan), warnings }
}

export function evaluateBody(request: EvaluateRequest, { trial, warnings }: Asked, verdict: Verdict) {
  if ('illegal' in verdict) {
    const faults = asWritten(verdict.illegal, request.plan)
    throw new ProblemError('illegal-plan', faults[0]?.detail ?? 'The plan is illegal.', faults)
  }
  const { suggestions } = verdict
  return {
    mode: trial.mode,
    ...verdict,
    ...(suggestions ? { suggestions: suggestionsAsWritten(request, suggestions, evaluateRequest) } : {}),
    warnings: [...warnings, ...verdict.warnings],
  }
}

export type EvaluateBody = ReturnType<typeof evaluateBody>

export interface Examined {
  readonly inspection: Inspection
  readonly warnings: readonly string[]
}

export function validateQuestion({ require, ...request }: ValidateRequest, catalogue: Catalogue): Examined {
  const { trial, warnings } = evaluateQuestion(request, catalogue)
  return { inspection: { trial, require }, warnings }
}

export function validateBody(
  request: ValidateRequest,
  { inspection, warnings }: Examined,
  validation: Validation,
) {
  return {
    mode: inspection.trial.mode,
    ...validation,
    checks: checksAsWritten(request, validation.checks),
    warnings: [...warnings, ...validation.warnings],
  }
}

export type ValidateBody = ReturnType<typeof validateBody>

export function collectiveBody(request: CollectiveRequest, catalogue: Catalogue) {
  const { hardware, op, bytes, over } = request
  const { cluster } = hardwareOf(hardware, basisOf(request.assumptions), catalogue)
  const assumptions = assumptionsOf(request.assumptions, cluster.chip)
  const estimate = collectiveEstimate({ cluster, op, bytes, over, assumptions })
  if ('problem' in estimate) throw faultyValue('impossible-combination', estimate.problem)
  return estimate
}
