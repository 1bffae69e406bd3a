/**
 * torchtitan recomputes no layer, every layer, or every n-th layer of a rank, counted over all of its chunks, which are
 * floor(L / n) of L. Null if no n gives the plan's number. Checkpointing by operation is in operations.ts. Source: as config.ts, and torchtitan/distributed/activation_checkpoint.py.
 */
import type { PolicyName } from '../../recipe/policies.ts'
import { keepEverything, recomputeEverything } from '../../recipe/policy.ts'
import type { Run } from '../run/run.ts'
import { torchtitanDispatch } from './experts.ts'
import { torchtitanFlavor } from './flavor.ts'
import { byOperation, isByOperation, policyByOperation } from './operations.ts'

const modes: Readonly<Record<string, string>> = { none: 'none', full: 'full' } satisfies Partial<
  Record<PolicyName, string>
>

export function torchtitanRecomputation(run: Run): Readonly<Record<string, string>> | null {
  const { recomputation, stageLayers } = run
  const { policy, other, count } = recomputation
  if (count === 0) {
    const mode = modes[policy]
    if (mode) return { mode }
    const isKept = isByOperation(policy) && policy === keptByOperation(run)
    return isKept ? { mode: 'selective', selective_ac_option: byOperation } : null
  }
  if (policy !== keepEverything.name || other !== recomputeEverything.name) return null
  for (let every = 2; every <= Math.max(...stageLayers); every++) {
    if (stageLayers.every((layers) => Math.floor(layers / every) === Math.min(count, layers))) {
      return { mode: 'selective', selective_ac_option: `${every}` }
    }
  }
  return null
}

function keptByOperation(run: Run): PolicyName | null {
  const { mesh, model, problem } = run
  return policyByOperation({
    name: torchtitanFlavor(run)?.model.name ?? '',
    lowRank: (model.attention.latent?.queryRank ?? null) !== null,
    tensor: mesh.tensor,
    fp8: problem.precision.compute === 'fp8',
    deepEp: torchtitanDispatch.usesKernels(run),
  })
}
