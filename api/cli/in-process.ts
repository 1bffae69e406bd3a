/** Answers in this process and on this thread: nothing else waits for it, and a signal ends both. */
import { performance } from 'node:perf_hooks'
import type { CalibrateBody } from '../schemas/calibrate.ts'
import { type CompareBody, compareRequest } from '../schemas/compare.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { calibrateAsked } from '../validation/measured-runs.ts'
import { validated } from '../validation/request-validation.ts'
import { comparisonOf } from '../validation/variants.ts'
import { evaluateAsked, validateAsked } from '../validation/written-plan.ts'
import type { EvaluateBody, OptimizeBody, ValidateBody } from '../worker/desk.ts'
import { createFlags, type Errand } from '../worker/errand.ts'
import { type Reply, textOf, writtenOf } from '../worker/reply.ts'
import * as worker from '../worker/search-worker.ts'
import type { Asker } from './asker.ts'
import type { Begin } from './progress.ts'

export function inProcess(begin: Begin): Asker {
  const answered = answeredIn(begin)
  return {
    optimize: async (body): Promise<OptimizeBody> =>
      answered(worker.optimize, validated(optimizeRequest, body)),
    evaluate: async (body): Promise<EvaluateBody> => answered(worker.evaluate, evaluateAsked(body)),
    calibrate: async (body): Promise<CalibrateBody> => answered(worker.calibrate, calibrateAsked(body)),
    validate: async (body): Promise<ValidateBody> => answered(worker.validate, validateAsked(body)),
    compare: async (body): Promise<CompareBody> =>
      answered(worker.compare, comparisonOf(validated(compareRequest, body))),
  }
}

/** Answers as they would be sent over HTTP. */
function answeredIn(begin: Begin) {
  return <Subject extends { readonly timeoutMs: number }, Answer>(
    task: (errand: Errand<Subject>) => Reply,
    subject: Subject,
  ): Answer => {
    const began = performance.now()
    const { tick, end } = begin()
    try {
      const written = writtenOf(task({ subject, timeoutMs: subject.timeoutMs, flags: createFlags(), tick }))
      const times = { elapsedMs: performance.now() - began, waitedMs: 0 }
      return JSON.parse(Buffer.concat(textOf(written, times)).toString()) as Answer
    } finally {
      end()
    }
  }
}
