/** POST /optimize: the ranked plans of a problem, of whichever mode. */
import type { RequestHandler } from 'express'
import { timedOut } from '../deadline.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Metrics } from '../metrics.ts'
import { validated } from '../request-validation.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { timedSearch } from '../timed-search.ts'

export function optimizeRoute(dependencies: Dependencies, metrics: Metrics): RequestHandler {
  const { search } = dependencies
  return async (request, response) => {
    const asked = validated(optimizeRequest, request.body)
    const { timeoutMs } = asked
    const { answer, elapsedMs, waitedMs } = await timedSearch(
      dependencies,
      metrics,
      { request, response, timeoutMs },
      (terms) => search.optimize(asked, terms),
    )
    const { enumerated, unexamined, exact } = answer.search
    const found = answer.plans.length > 0 || answer.unlaunchable
    if (!found && !exact) {
      const left = `${unexamined} of ${enumerated} layouts were not looked at, and no plan was found`
      throw timedOut(timeoutMs, left)
    }
    response.json({ ...answer, search: { ...answer.search, elapsedMs, waitedMs } })
  }
}
