/**
 * Communication of tensor parallelism (assumptions.overlapCriticalPath) is hidden by the user buffers of Transformer
 * Engine, --tp-comm-overlap, which needs sequence parallelism and ranks joined by NVLink. The option is written unless
 * something is known to speak against it; then a note says what the plan's time relies on. The projections of latent
 * attention have no such buffers, the buffers do not support fp32, they are not known to work with CUDA graphs and
 * delayed weight gradients, and they need the kernel order of CUDA_DEVICE_MAX_CONNECTIONS=1, which Megatron-FSDP
 * refuses. Source: as flags.ts, and megatron/training/initialize.py (_initialize_tp_communicators),
 * megatron/core/extensions/transformer_engine.py, megatron/core/transformer/multi_latent_attention.py.
 */

import type { Run } from '../run/run.ts'
import { innermostUnit, unitsSpanned } from '../run/units.ts'
import { given, setting, written } from '../settings/settings.ts'
import { hasUserBuffers } from '../vendor.ts'
import { recipeSettings } from './expert-recipe.ts'
import { megatronSharding } from './states.ts'

export const overlapSettings = {
  overlapsTensor: setting(
    '--tp-comm-overlap',
    (run: Run) => isHidden(run) && !obstacles.some(({ there }) => there(run)),
    given,
  ),
}

export function tensorOverlapNote(run: Run): string | null {
  if (!isHidden(run)) return null
  const share = run.problem.assumptions.overlapCriticalPath
  const counted = `Megatron-LM: ${share} of what tensor parallelism sends is counted as hidden under matmuls (assumptions.overlapCriticalPath)`
  const why = obstacles.find(({ there }) => there(run))
  return why
    ? `${counted}; --tp-comm-overlap is not asked for ${why.says}.`
    : `${counted}, by user buffers of Transformer Engine, which --tp-comm-overlap-cfg tunes; Megatron Bridge has them where its recipe's comm_overlap.tp_comm_overlap is true.`
}

/** Whether a plan counts on it; across units tensor parallelism is not costed as hidden. */
function isHidden(run: Run): boolean {
  return run.problem.assumptions.overlapCriticalPath > 0 && run.mesh.tensor > 1 && insideUnit(run)
}

interface Obstacle {
  readonly there: (run: Run) => boolean
  readonly says: string
}

const obstacles: readonly Obstacle[] = [
  {
    there: ({ problem }) => !hasUserBuffers(problem.cluster),
    says: 'on GPUs other than Hopper and later, joined by NVLink',
  },
  { there: ({ problem }) => problem.precision.weights === 'fp32', says: 'in fp32' },
  { there: ({ zeroStage }) => megatronSharding[zeroStage] !== null, says: 'beside Megatron-FSDP' },
  { there: ({ model }) => model.attention.latent !== null, says: 'with latent attention' },
  {
    there: (run) => written({ recipe: recipeSettings }, run).length > 0,
    says: 'beside CUDA graphs or gradients of weights that are delayed',
  },
]

/** Whether tensor parallelism stays inside a unit of the innermost tier. */
function insideUnit({ placement, problem: { cluster } }: Run): boolean {
  return unitsSpanned(placement.groups.tensor, innermostUnit(cluster)) === 1
}
