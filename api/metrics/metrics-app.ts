/** Serves GET /metrics alone, without a key, on a port of its own that only the scraper can reach. */
import express, { type Express } from 'express'
import type { Logger } from 'pino'
import { methodNotAllowed } from '../http/method-not-allowed.ts'
import { problemResponses } from '../http/problem-response.ts'
import { requestId } from '../http/request-id.ts'
import { ProblemError } from '../problems.ts'
import { metricsRoute } from '../routes/metrics.ts'
import type { Metrics } from './metrics.ts'

export function createMetricsApp(metrics: Metrics, log: Logger): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(requestId)
  app.route('/metrics').get(metricsRoute(metrics)).all(methodNotAllowed('GET'))
  app.use(() => {
    throw new ProblemError('not-found', 'Here is /metrics and nothing else.')
  })
  app.use(problemResponses(log))
  return app
}
