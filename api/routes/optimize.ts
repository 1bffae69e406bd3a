/** POST /optimize: the ranked plans of a problem, of whichever mode. */
import type { RequestHandler } from 'express'
import { timedOut } from '../deadline.ts'
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
    const { answer, elapsedMs, waitedMs } = await timedSearch(
      dependencies,
      metrics,
      { request, response, timeoutMs },
      (terms) => search.optimize(question, terms),
    )
    const { enumerated, unexamined, exact } = answer.search
    const found = answer.plans.length > 0 || ('unlaunchable' in answer && answer.unlaunchable)
    if (!found && !exact) {
      throw timedOut(
        timeoutMs,
        `${unexamined} of ${enumerated} layouts were not looked at, and no plan was found`,
      )
    }
    response.json({
      mode: question.mode,
      ...inWordsOf(body, answer),
      search: { ...answer.search, elapsedMs, waitedMs },
      warnings: [...warnings, ...answer.warnings],
    })
  }
}
