/** Prometheus metrics: requests by route and status, searches by outcome, the pool, and the process itself. */
import type { RequestHandler } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Search, Searched } from '../queue/search.ts'

export interface Metrics {
  readonly registry: Registry
  readonly observe: RequestHandler
  readonly answered: (route: string, source: 'searched' | 'shared' | 'kept') => void
  readonly searched: (
    route: string,
    outcome: 'answered' | 'failed',
    times: Pick<Searched<unknown>, 'elapsedMs' | 'waitedMs'>,
  ) => void
}

const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

/** Size of the stored answers. */
type Kept = () => { readonly bytes: number }

const none: Kept = () => ({ bytes: 0 })

/** Counts nothing: for requests that no client has sent. */
export const uncounted: Metrics = {
  registry: new Registry(),
  observe: (_request, _response, next) => next(),
  answered: () => {},
  searched: () => {},
}

export function createMetrics({ occupancy }: Search, clock: () => number, kept: Kept = none): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counted = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const timed = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name, help, labelNames, buckets, registers })
  const now = (name: string, help: string, value: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(value())
      },
    })
  const requests = counted('http_requests_total', 'Requests answered, by route, method and status.', [
    'route',
    'method',
    'status',
  ])
  const durations = timed(
    'http_request_duration_seconds',
    'From the first byte of a request to the last of its answer.',
    ['route'],
  )
  const searches = timed(
    'shardplan_search_duration_seconds',
    'Searches, by route and outcome; the wait of those that failed is in it.',
    ['route', 'outcome'],
  )
  const answers = counted(
    'shardplan_answers_total',
    'Answers by route and source: a search of their own, one that others asked for, or kept from before.',
    ['route', 'source'],
  )
  const waits = timed(
    'shardplan_search_wait_seconds',
    'How long searches that were answered waited to begin, by route.',
    ['route'],
  )
  for (const state of ['running', 'waiting'] as const) {
    now(`shardplan_searches_${state}`, `Searches ${state} at this moment.`, () => occupancy()[state])
  }
  now('shardplan_kept_answer_bytes', 'Memory of the answers that are kept.', () => kept().bytes)
  return {
    registry,
    observe: (request, response, next) => {
      const start = clock()
      response.once('close', () => {
        const route = typeof request.route?.path === 'string' ? request.route.path : 'none'
        const method = ['GET', 'HEAD', 'POST', 'OPTIONS'].includes(request.method) ? request.method : 'other'
        // 499 for a client that did not wait for the answer, as proxies count it.
        const status = response.writableFinished ? response.statusCode : 499
        requests.inc({ route, method, status })
        durations.observe({ route }, (clock() - start) / 1000)
      })
      next()
    },
    answered: (route, source) => answers.inc({ route, source }),
    searched: (route, outcome, { elapsedMs, waitedMs }) => {
      searches.observe({ route, outcome }, elapsedMs / 1000)
      if (outcome === 'answered') waits.observe({ route }, waitedMs / 1000)
    },
  }
}
