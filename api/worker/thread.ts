/** What a worker thread exports to the pool: the searches, with texts transferred instead of copied. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { Errand } from './errand.ts'
import type { Reply } from './reply.ts'
import * as worker from './search-worker.ts'

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
