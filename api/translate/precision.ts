/** Turns the element types of a request into those of a problem. */
import type { Chip } from '../../src/hardware/chip.ts'
import { type AskedPrecision, type ResolvedPrecision, resolvedPrecision } from '../../src/precision/asked.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { basisOf } from './assumptions.ts'
import type { ResolvedModel } from './model/resolved-model.ts'

type Asked = Pick<OptimizeRequest, 'precision' | 'assumptions' | 'workload'>

export function precisionOf(
  { precision, assumptions, workload }: Asked,
  chip: Chip,
  { transformer, checkpoints }: ResolvedModel,
): ResolvedPrecision {
  return resolvedPrecision(precision as AskedPrecision, {
    chip,
    model: transformer,
    checkpoints,
    training: workload.mode === 'train',
    calibrated: basisOf(assumptions) === 'calibrated',
  })
}
