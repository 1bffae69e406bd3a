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

/** Those that a search tries where torchtitan launches plans; by operation is for plans that say so. */
export const torchtitanPolicies = ['none', 'full'] as const satisfies readonly PolicyName[]

/** Policies of a plan that torchtitan does not have in any of its configs: modules or arrays that another framework recomputes. */
export function policiesApart({ policy, other }: Run['recomputation']): readonly string[] {
  return [...new Set([policy, other])].filter((name) => !isMode(name) && !isByOperation(name))
}

function isMode(name: string): boolean {
  return torchtitanPolicies.some((own) => own === name)
}

export function torchtitanRecomputation(run: Run): Readonly<Record<string, string>> | null {
  const { recomputation, stageLayers } = run
  const { policy, other, count } = recomputation
  if (count === 0) {
    if (isMode(policy)) return { mode: policy }
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
