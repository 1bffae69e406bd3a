/** POST /compare: plans or requests side by side, and why one takes longer. */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { compareRequest } from '../schemas/compare.ts'
import { validated } from '../validation/request-validation.ts'
import { comparisonOf } from '../validation/variants.ts'

export function compareRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return async (request, response) => {
    const comparison = comparisonOf(validated(compareRequest, request.body))
    const { timeoutMs } = comparison
    const answered = await timedSearch(dependencies, metrics, { request, response, timeoutMs }, (terms) =>
      search.compare(comparison, terms),
    )
    sendAnswer(response, answered)
  }
}
