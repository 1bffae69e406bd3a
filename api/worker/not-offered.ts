/** What the contract names and this version does not compute yet: a 422 that says so. */
import type { Transformer } from '../../src/model/transformer.ts'
import type { InferenceWorkload, TrainWorkload } from '../../src/problem.ts'
import { type Fault, faulty } from '../problems.ts'

/** Models that can be counted and whose plans cannot be costed, whichever way the request gave them. */
export function refuseUncosted(model: Transformer, workload: TrainWorkload | InferenceWorkload): void {
  refuse(workload.mode === 'train' ? [shared(model)] : [])
}

function refuse(faults: readonly (Fault | undefined)[]): void {
  const found = faults.filter((fault) => fault !== undefined)
  if (found.length > 0) throw faulty('not-offered', found)
}

function shared({ name, attention }: Transformer): Fault | undefined {
  if (attention.kvShareGroup === 1) return undefined
  return {
    pointer: '/model',
    detail: `training ${name}, whose layers share keys and values, is not offered yet`,
  }
}
