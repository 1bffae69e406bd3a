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

export function createMetrics({ occupancy }: Search, clock: () => number, kept: Kept = none): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer.',
    labelNames: ['route'],
    buckets,
    registers,
  })
  const searches = new Histogram({
    name: 'shardplan_search_duration_seconds',
    help: 'Searches, by route and outcome; the wait of those that failed is in it.',
    labelNames: ['route', 'outcome'],
    buckets,
    registers,
  })
  const answers = new Counter({
    name: 'shardplan_answers_total',
    help: 'Answers by route and source: a search of their own, one that others asked for, or kept from before.',
    labelNames: ['route', 'source'],
    registers,
  })
  const waits = new Histogram({
    name: 'shardplan_search_wait_seconds',
    help: 'How long searches that were answered waited to begin, by route.',
    labelNames: ['route'],
    buckets,
    registers,
  })
  for (const state of ['running', 'waiting'] as const) {
    new Gauge({
      name: `shardplan_searches_${state}`,
      help: `Searches ${state} at this moment.`,
      registers,
      collect() {
        this.set(occupancy()[state])
      },
    })
  }
  new Gauge({
    name: 'shardplan_kept_answer_bytes',
    help: 'Memory of the answers that are kept.',
    registers,
    collect() {
      this.set(kept().bytes)
    },
  })
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
