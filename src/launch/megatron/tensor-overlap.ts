/**
 * Communication of tensor parallelism (assumptions.overlapCriticalPath) is hidden by the user buffers of Transformer
 * Engine, --tp-comm-overlap, which needs sequence parallelism and ranks joined by NVLink. The option is written where
 * they are counted (cost/memory/user-buffers.ts): if they are assumed, unless something is known to speak against them;
 * then a note says what the plan's time relies on. The projections of latent attention have no such buffers, the buffers
 * do not support fp32, they are not known to work with CUDA graphs and delayed weight gradients, and they need the kernel
 * order of CUDA_DEVICE_MAX_CONNECTIONS=1, which Megatron-FSDP refuses. Source: as flags.ts, and
 * megatron/training/initialize.py (_initialize_tp_communicators), megatron/core/extensions/transformer_engine.py,
 * megatron/core/transformer/multi_latent_attention.py.
 */

import { againstUserBuffers, joinsTensor } from '../../cost/memory/user-buffers.ts'
import { innermostUnit, unitsSpanned } from '../../hardware/network/innermost-unit.ts'
import type { Run } from '../run/run.ts'
import { given, setting } from '../settings/settings.ts'

export const overlapSettings = {
  overlapsTensor: setting(
    '--tp-comm-overlap',
    (run: Run) => isInsideUnit(run) && against(run) === null,
    given,
  ),
}

export function tensorOverlapNote(run: Run): string | null {
  const share = run.problem.assumptions.overlapCriticalPath
  if (share === 0 || !isInsideUnit(run)) return null
  const counted = `Megatron-LM: ${share} of what tensor parallelism sends is counted as hidden under matmuls (assumptions.overlapCriticalPath)`
  const why = against(run)
  return why
    ? `${counted}; --tp-comm-overlap is not asked for ${why}.`
    : `${counted}, by user buffers of Transformer Engine, which --tp-comm-overlap-cfg tunes; Megatron Bridge has them where its recipe's comm_overlap.tp_comm_overlap is true.`
}

/** Of a plan that is costed as another framework runs it, as Megatron-LM would run it. */
function against({ problem, zeroStage }: Run): string | null {
  const { assumptions, runBy } = problem
  return againstUserBuffers({ ...problem, assumptions: runBy?.megatron ?? assumptions }, zeroStage)
}

/** Whether tensor parallelism stays inside a unit of the innermost tier: across units it is not costed as hidden. */
function isInsideUnit({ mesh, placement, problem: { cluster } }: Run): boolean {
  return joinsTensor({ cluster }, mesh) && unitsSpanned(placement.groups.tensor, innermostUnit(cluster)) === 1
}
