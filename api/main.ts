#!/usr/bin/env node
/** The composition root: settings from the environment, a pool, an app, a server, and their shutdown. */
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { pino } from 'pino'
import { createApp } from './app.ts'
import { buildId } from './build-id.ts'
import { loadCatalogue } from './catalogue.ts'
import type { Dependencies } from './dependencies.ts'
import { loadExamples } from './examples.ts'
import { createLifecycle } from './http/lifecycle.ts'
import { askAsClient } from './http/own-requests.ts'
import { createServer } from './http/server.ts'
import { createMetrics, uncounted } from './metrics/metrics.ts'
import { createMetricsApp } from './metrics/metrics-app.ts'
import { createEstimates } from './queue/estimated-work.ts'
import { createPool } from './queue/pool.ts'
import { sharedSearch } from './queue/shared-search.ts'
import { type Settings, settingsFrom } from './settings.ts'
import {
  asClients,
  firstSearches,
  furtherSearches,
  littleSearches,
  searchesBeforeListening,
  tryIt,
} from './warm-up.ts'

const settings = environment()
const log = pino({ level: settings.LOG_LEVEL })
/** Fires when the process is to end. */
const ending = new AbortController()
const lifecycle = createLifecycle({ warming: settings.WARM_UP === 'idle' })
const pool = createPool({
  threads: settings.THREADS,
  lightThreads: settings.LIGHT_THREADS,
  threadsOfOne: settings.THREADS_PER_SEARCH,
  maxQueue: settings.MAX_QUEUE,
  maxQueueOfOne: settings.MAX_QUEUE_PER_CLIENT,
  estimates: createEstimates(),
  memoryMb: settings.WORKER_MEMORY_MB,
  warmUp: firstSearches,
  little: littleSearches,
  onError: (error) => log.error({ err: error }, 'a searcher failed'),
})
const clock = () => performance.now()
const search = sharedSearch(pool, { keptBytes: settings.KEPT_ANSWERS_MB * 1e6 })
const metrics = createMetrics(search, clock, search.kept)
const catalogue = loadCatalogue()
// All of it now, so that no list holds up the event loop later, and a fault ends the start.
catalogue.models.values()
const dependencies: Dependencies = {
  catalogue,
  examples: loadExamples(),
  search,
  lifecycle,
  log,
  clock,
  requestsPerMinute: settings.RATE_LIMIT_PER_MINUTE,
  trustProxy: settings.TRUST_PROXY,
  apiKeys: settings.API_KEYS,
  build: buildId(),
  metrics,
  metricsHere: settings.METRICS_PORT === 'same',
}
const app = createApp(dependencies)
await pool.warm(searchesBeforeListening).catch((error: unknown) => {
  log.fatal({ err: error }, 'cannot search')
  process.exit(1)
})

const patience = {
  headersMs: settings.HEADERS_TIMEOUT_SECONDS * 1000,
  keepAliveMs: settings.KEEP_ALIVE_SECONDS * 1000,
  requestMs: settings.REQUEST_TIMEOUT_SECONDS * 1000,
  unreadMs: settings.UNREAD_TIMEOUT_SECONDS * 1000,
}
const server = createServer(app, patience)
const aside = createServer(createMetricsApp(metrics, log), patience)
for (const each of [server, aside]) {
  each.once('error', (error) => {
    log.fatal({ err: error }, 'cannot listen')
    process.exit(1)
  })
}
if (typeof settings.METRICS_PORT === 'number') {
  aside.listen(settings.METRICS_PORT, settings.HOST, () => {
    log.info({ host: settings.HOST, metricsPort: (aside.address() as AddressInfo).port }, 'metrics')
  })
}
server.listen(settings.PORT, settings.HOST, () => {
  const { port } = server.address() as AddressInfo
  const host = settings.HOST === '0.0.0.0' || settings.HOST === '::' ? '127.0.0.1' : settings.HOST
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const { TRUST_PROXY: trusted, API_KEYS } = settings
  log.info({ host: settings.HOST, port, trusted, keys: API_KEYS.length }, 'listening')
  void pool.warmWhileIdle(settings.WARM_UP === 'idle' ? furtherSearches : [], askItself).then(() => {
    lifecycle.warmed()
    log.info('warm')
  })
  process.stdout.write(
    `curl -s ${origin}/optimize -H 'content-type: application/json' -d '${JSON.stringify(tryIt)}'\n`,
  )
})

/** Asks for what has warmed a thread up once more, by requests that are neither logged nor counted, and whose answers are not kept. */
async function askItself(): Promise<void> {
  const unseen = { log: pino({ level: 'silent' }), metrics: uncounted, search: pool }
  const free = { lifecycle: createLifecycle(), requestsPerMinute: 0, apiKeys: [] }
  await askAsClient(createApp({ ...dependencies, ...unseen, ...free }), '/optimize', asClients, ending.signal)
}

/** A second signal does not interrupt requests in progress. */
async function shutDown(signal: string): Promise<void> {
  if (lifecycle.draining()) return
  log.info({ signal }, 'draining')
  ending.abort()
  await lifecycle.drain(settings.DRAIN_SECONDS * 1000)
  for (const each of [server, aside]) {
    each.close()
    each.closeAllConnections()
  }
  await pool.close()
  log.info('gone')
  process.exitCode = 0
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, (name) => void shutDown(name))
}

function environment(): Settings {
  try {
    return settingsFrom(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  }
}
