/** Rejects with 422 what the contract names but this version does not compute yet. */
import type { Transformer } from '../../src/model/transformer.ts'
import type { InferenceWorkload, TrainWorkload } from '../../src/problem.ts'
import { type Fault, faulty } from '../problems.ts'

/** Models whose parameters can be counted but whose plans cannot be costed. */
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
