/** POST /optimize: the ranked plans of a problem, of whichever mode. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics.ts'
import { refuseUncosted } from '../not-offered.ts'
import { validated } from '../request-validation.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { timedSearch } from '../timed-search.ts'
import { problemOf } from '../translate/problem.ts'
import { inWordsOf } from '../translate/suggestion.ts'
import { refuseUnpriced } from '../translate/unpriced.ts'

export function optimizeRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { catalogue, search } = dependencies
  return async (request, response) => {
    const body = validated(optimizeRequest, request.body)
    const { warnings, ...question } = problemOf(body, catalogue)
    refuseUncosted(question.problem.model, question.problem.workload)
    refuseUnpriced(question.problem)
    const { timeoutMs } = body
    const { answer, elapsedMs } = await timedSearch(
      dependencies,
      metrics,
      { request, response, timeoutMs },
      (signal) => search.optimize(question, signal),
    )
    response.json({
      mode: question.mode,
      ...inWordsOf(body, answer),
      search: { ...answer.search, elapsedMs },
      warnings: [...warnings, ...answer.warnings],
    })
  }
}
