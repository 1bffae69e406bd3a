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
import type { Word } from '../start.ts'
import { hasUserBuffers } from '../vendor.ts'
import { megatronSharding } from './states.ts'

export interface TensorOverlap {
  readonly flags: readonly string[]
  readonly notes: readonly string[]
}

/** `recipe` are the options from expert-recipe.ts. */
export function megatronTensorOverlap(run: Run, recipe: readonly Word[]): TensorOverlap {
  const share = run.problem.assumptions.overlapCriticalPath
  if (share === 0 || run.mesh.tensor === 1 || !insideUnit(run)) return { flags: [], notes: [] }
  const counted = `Megatron-LM: ${share} of what tensor parallelism sends is counted as hidden under matmuls (assumptions.overlapCriticalPath)`
  const why = obstacles.find(({ there }) => there(run, recipe))
  if (why) return { flags: [], notes: [`${counted}; --tp-comm-overlap is not asked for ${why.says}.`] }
  return {
    flags: ['--tp-comm-overlap'],
    notes: [
      `${counted}, by user buffers of Transformer Engine, which --tp-comm-overlap-cfg tunes; Megatron Bridge has them where its recipe's comm_overlap.tp_comm_overlap is true.`,
    ],
  }
}

interface Obstacle {
  readonly there: (run: Run, recipe: readonly Word[]) => boolean
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
    there: (_run, recipe) => recipe.length > 0,
    says: 'beside CUDA graphs or gradients of weights that are delayed',
  },
]

/** Whether tensor parallelism stays inside a unit of the innermost tier; across units it is not costed as hidden. */
function insideUnit({ placement, problem: { cluster } }: Run): boolean {
  return unitsSpanned(placement.groups.tensor, innermostUnit(cluster)) === 1
}
