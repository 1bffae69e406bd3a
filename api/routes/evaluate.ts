/** POST /evaluate: what one given plan costs. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics.ts'
import { refuseUncosted } from '../not-offered.ts'
import { ProblemError } from '../problems.ts'
import { validated } from '../request-validation.ts'
import { evaluateRequest } from '../schemas/evaluate.ts'
import { timedSearch } from '../timed-search.ts'
import { problemOf } from '../translate/problem.ts'
import { asWritten as suggestionsAsWritten } from '../translate/suggestion.ts'
import { asWritten, trialOf } from '../translate/trial.ts'

export function evaluateRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { catalogue, search } = dependencies
  return async (request, response) => {
    const body = validated(evaluateRequest, request.body)
    const { warnings, ...question } = problemOf(body, catalogue)
    refuseUncosted(question.problem.model, question.problem.workload)
    const trial = trialOf(question, body.plan)
    const { timeoutMs } = body
    const { answer } = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search.evaluate(trial, terms),
    )
    if ('illegal' in answer) {
      const faults = asWritten(answer.illegal, body.plan)
      throw new ProblemError('illegal-plan', faults[0]?.detail ?? 'The plan is illegal.', faults)
    }
    const { suggestions } = answer
    response.json({
      mode: trial.mode,
      ...answer,
      ...(suggestions ? { suggestions: suggestionsAsWritten(body, suggestions, evaluateRequest) } : {}),
      warnings: [...warnings, ...answer.warnings],
    })
  }
}
