/** GET /metrics, in Prometheus' text format. */
import type { RequestHandler } from 'express'
import type { Metrics } from '../metrics/metrics.ts'

export function metricsRoute({ registry }: Metrics): RequestHandler {
  return async (_request, response) => {
    const text = await registry.metrics()
    response.type(registry.contentType).send(text)
  }
}
