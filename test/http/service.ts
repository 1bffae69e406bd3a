/** The app as the composition root makes it, with parts that a test may replace. */
import { performance } from 'node:perf_hooks'
import { pino } from 'pino'
import supertest from 'supertest'
import { createApp } from '../../api/app.ts'
import type { Dependencies } from '../../api/dependencies.ts'
import { loadExamples } from '../../api/examples.ts'
import { createLifecycle } from '../../api/http/lifecycle.ts'
import { createMetrics } from '../../api/metrics/metrics.ts'
import { answering, catalogue } from './planners.ts'

const examples = loadExamples()

export function appWith(parts: Partial<Dependencies> = {}) {
  const clock = () => performance.now()
  const search = parts.search ?? answering()
  return createApp({
    catalogue,
    examples,
    search,
    lifecycle: createLifecycle(),
    log: pino({ level: 'silent' }),
    clock,
    requestsPerMinute: 0,
    trustProxy: 0,
    apiKeys: [],
    build: 'of the tests',
    metrics: createMetrics(search, clock),
    metricsHere: true,
    ...parts,
  })
}

export function service(parts: Partial<Dependencies> = {}) {
  return supertest(appWith(parts))
}

export const question = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 64 },
  workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
}
