/**
 * What a worker thread exports to the pool: the searches, with texts transferred instead of copied. It searches what it is to
 * warm up with first, so that whoever is given a new thread does not wait until V8 has compiled everything.
 */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { createFlags, type Errand } from './errand.ts'
import type { Reply } from './reply.ts'
import * as worker from './search-worker.ts'

export { forgetAll as forget } from '../../src/recent.ts'
export { sweep } from './sweep.ts'

export const optimize = handingOver(worker.optimize)
export const validate = handingOver(worker.validate)
export const evaluate = handingOver(worker.evaluate)
export const calibrate = handingOver(worker.calibrate)
export const compare = handingOver(worker.compare)
export const collective = handingOver(worker.collective)
export const { help } = worker

function handingOver<Subject>(task: (errand: Errand<Subject>) => Reply) {
  return (errand: Errand<Subject>) => {
    const reply = task(errand)
    if ('refused' in reply) return reply
    const { start, end } = reply.written
    return move({
      [transferableSymbol]: [start, ...(end ? [end] : [])].map(({ buffer }) => buffer),
      [valueSymbol]: reply,
    })
  }
}

const { warmUp = [] } = (workerData ?? {}) as { readonly warmUp?: readonly OptimizeRequest[] }
for (const subject of warmUp) worker.optimize({ subject, timeoutMs: subject.timeoutMs, flags: createFlags() })
