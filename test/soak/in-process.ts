/** The app with its searches in the soak's own thread, so that failures have their stack and do not just end a worker. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createApp } from '../../api/app.ts'
import { loadCatalogue } from '../../api/catalogue.ts'
import { createLifecycle } from '../../api/http/lifecycle.ts'
import { createServer } from '../../api/http/server.ts'
import { createMetrics } from '../../api/metrics/metrics.ts'
import type { Search, Searched, Terms } from '../../api/queue/search.ts'
import { createFlags, type Errand, wasCut } from '../../api/worker/errand.ts'
import * as worker from '../../api/worker/search-worker.ts'

const clock = () => performance.now()

function inThread<Subject, Answer>(task: (errand: Errand<Subject>) => Answer) {
  return async (subject: Subject, { timeoutMs }: Terms): Promise<Searched<Answer>> => {
    const flags = createFlags()
    const began = clock()
    const answer = task({ subject, timeoutMs, flags })
    return { answer, waitedMs: 0, elapsedMs: clock() - began, cut: wasCut(flags) }
  }
}

export async function startInProcess(): Promise<{ readonly origin: string; readonly server: Server }> {
  const search: Search = {
    optimize: inThread(worker.optimize),
    evaluate: inThread(worker.evaluate),
    compare: inThread(worker.compare),
    validate: inThread(worker.validate),
    calibrate: inThread(worker.calibrate),
    collective: inThread(worker.collective),
    occupancy: () => ({ running: 0, waiting: 0 }),
  }
  const app = createApp({
    catalogue: loadCatalogue(),
    examples: [],
    search,
    lifecycle: createLifecycle(),
    log: pino({ level: 'error' }),
    clock,
    requestsPerMinute: 0,
    trustProxy: 0,
    apiKeys: [],
    build: 'of the soak',
    metrics: createMetrics(search, clock),
    metricsHere: false,
  })
  // Searches hold up this loop, and with it whoever would close an idle connection in time.
  const patience = { headersMs: 600_000, requestMs: 600_000, keepAliveMs: 600_000, unreadMs: 600_000 }
  const server = createServer(app, patience).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
