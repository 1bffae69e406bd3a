/**
 * POST /validate: checks a plan against rules, memory and requirements, for CI. The result is in the body; with
 * `?failWith=422` a failed check also changes the status, so that `curl --fail` fails the job. `Accept` chooses the
 * format: a request that is refused is a failed check in those for CI, as the command has it, with the status of its problem.
 */
import type { RequestHandler } from 'express'
import type { Dependencies } from '../dependencies.ts'
import { sendAnswer } from '../http/answer.ts'
import { type Parameters, queryOf } from '../http/query.ts'
import { ProblemError, problems } from '../problems.ts'
import type { Terms } from '../queue/search.ts'
import { timedSearch } from '../queue/timed-search.ts'
import { type Told, withoutFile } from '../report/checks/checked.ts'
import { refusedChecks } from '../report/checks/refused.ts'
import { type Report, reports } from '../report/reports.ts'
import { validateAsked } from '../validation/written-plan.ts'
import { bodyOf } from '../worker/reply.ts'

export const validateQuery: Parameters = { failWith: ['422'] }

export function validateRoute(dependencies: Dependencies): RequestHandler {
  const { search } = dependencies
  const answer: RequestHandler = async (request, response) => {
    const asked = validateAsked(request.body)
    const { timeoutMs } = asked
    const answered = await timedSearch(dependencies, { request, response, timeoutMs }, (terms) =>
      // The search returns JSON, from which this route writes its reports.
      search.validate(asked, withoutTelling(terms)),
    )
    const validation = bodyOf<Told>(answered.answer)
    const fails = !validation.ok && queryOf(request).has('failWith')
    response.status(fails ? 422 : 200).vary('accept')
    const report = reportWanted(request.accepts([...Object.keys(reports)]))
    if (report) response.type(report.type).send(report.write([withoutFile(validation)]))
    else sendAnswer(response, answered)
  }
  return async (request, response, next) => {
    try {
      await answer(request, response, next)
    } catch (error) {
      const report = reportWanted(request.accepts([...Object.keys(reports)]))
      if (!(error instanceof ProblemError && report?.tellsRefusals && isOfRequest(error))) throw error
      const checks = refusedChecks(error)
      const told = withoutFile({ ok: false, checks, plan: null, best: null, preferred: null, warnings: [] })
      response.status(problems[error.slug].status).set('cache-control', 'no-store').vary('accept')
      response.type(report.type).send(report.write([told]))
    }
  }
}

/** What the service could not do says nothing of the request, and is no failed check of it. */
function isOfRequest({ slug }: ProblemError): boolean {
  return [400, 422].includes(problems[slug].status)
}

/** Undefined if JSON is wanted. */
function reportWanted(type: string | false | string[]): Report | undefined {
  return typeof type === 'string' ? reports[type] : undefined
}

function withoutTelling({ tell: _, ...terms }: Terms): Terms {
  return terms
}
