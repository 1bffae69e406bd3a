/** The ways in which a batch takes a step of generation. */
import type { GenerateWorkload } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { InferenceModel } from '../model.ts'
import { waysOf } from '../time/halves.ts'
import { generationPass, type Pass } from './pass.ts'

/** The ways to pass a batch through the model; the first passes the whole batch at once. `positions` are the new ones of each sequence. */
export function stepPasses(
  { setting }: InferenceModel,
  workload: Pick<GenerateWorkload, 'contextLength' | 'meanContextLength'>,
  batch: number,
  mesh: Mesh,
  positions = 1,
): readonly [whole: Pass, ...Pass[]] {
  const whole = generationPass(setting.model, workload, batch, mesh.pipeline, positions)
  return waysOf(setting.assumptions, mesh, whole)
}
