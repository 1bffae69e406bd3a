/**
 * What a worker thread exports to the pool: the searches, with texts transferred instead of copied. It searches what it is to
 * warm up with first, so that whoever is given a new thread does not wait until V8 has compiled everything.
 */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { forgetAll } from '../../src/recent.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { createFlags, type Errand } from './errand.ts'
import { holdLittle } from './held.ts'
import type { Reply } from './reply.ts'
import * as worker from './search-worker.ts'

import { sweep as sweepHeap } from './sweep.ts'

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

interface Given {
  readonly warmUp?: readonly OptimizeRequest[]
  /** One of each kind. */
  readonly little?: readonly OptimizeRequest[]
}

const { warmUp = [], little = [] } = (workerData ?? {}) as Given

function search(requests: readonly OptimizeRequest[]): void {
  for (const subject of requests)
    worker.optimize({ subject, timeoutMs: subject.timeoutMs, flags: createFlags() })
}

/** What it found for others, and what closures hold of it. */
export function forget(): void {
  forgetAll()
  holdLittle(() => search(little))
}

export function sweep({ grownBytes }: { readonly grownBytes: number }): void {
  sweepHeap(grownBytes)
}

search(warmUp)
