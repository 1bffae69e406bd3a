/** GET /healthz says that the process answers, GET /readyz that it accepts work and answers it soon. */
import type { RequestHandler } from 'express'
import type { Lifecycle } from '../http/lifecycle.ts'
import { draining, warmingUp } from '../queue/deadline.ts'

export const healthRoute: RequestHandler = (_request, response) => {
  response.set('cache-control', 'no-store').json({ status: 'ok' })
}

export function readyRoute(lifecycle: Lifecycle): RequestHandler {
  return (_request, response) => {
    if (lifecycle.draining()) throw draining()
    if (lifecycle.warming()) throw warmingUp()
    response.set('cache-control', 'no-store').json({ status: 'ready' })
  }
}
