/** Rejects with 422 what the contract names but this version does not compute yet. */
import type { Transformer } from '../../src/model/transformer.ts'
import type { InferenceWorkload, TrainWorkload } from '../../src/problem.ts'
import { faultyValue } from '../problems.ts'

/** Models whose parameters can be counted but whose plans cannot be costed. */
export function refuseUncosted(
  { name, attention }: Transformer,
  { mode }: TrainWorkload | InferenceWorkload,
): void {
  if (mode !== 'train' || attention.kvShareGroup === 1) return
  const detail = `training ${name}, whose layers share keys and values, is not offered yet`
  throw faultyValue('not-offered', { pointer: '/model', detail })
}
