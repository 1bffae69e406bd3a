/**
 * MaxText's name for a rematerialisation policy of ours; null for a mix of two. Without a policy (`none`) its scan over
 * layers still recomputes everything, so that the one which keeps every matmul and the attention stands for it; that
 * recomputes only norms and activation functions. Megatron's `selective` has no such stand-in: `minimal`, which recomputes
 * attention as well, has a name here. Policies that keep the MLP's projections are spelled out as `custom`, and so is every policy
 * for models with experts or latent attention, because MaxText's named ones omit the experts' second projection and the
 * low-rank projections. `custom` says for each array whether it is kept on the chip or on the host, as policies that are
 * composed of arrays do (recipe/composed-policy.ts). No name keeps tokens after their dispatch to experts: they are sent again. Source: as config.ts, and
 * src/maxtext/layers/nnx_decoders.py, layers/{linears,moe,attention_mla}.py.
 */

import { compact } from '../../compact.ts'
import type { Transformer } from '../../model/transformer.ts'
import { composedPlaces } from '../../recipe/composed-policy.ts'
import type { PolicyName } from '../../recipe/policies.ts'
import { keepsCopies, policyNamed, policyNames, recomputeEverything } from '../../recipe/policy.ts'
import type { HostPart } from '../../recipe/policy-row.ts'
import type { Run } from '../run/run.ts'

export const names: Readonly<Record<string, string>> = {
  none: 'minimal_with_context',
  minimal: 'minimal',
  save_dot_with_context_except_mlp: 'save_dot_with_context_except_mlp',
  save_dot_except_mlp: 'save_dot_except_mlp',
  save_qkv_proj: 'save_qkv_proj',
  save_out_proj: 'save_out_proj',
  full: 'full',
  minimal_offloaded: 'minimal_offloaded',
  qkv_proj_offloaded: 'qkv_proj_offloaded',
} satisfies Partial<Record<PolicyName, string>>

export type Part = 'queries' | 'context' | 'output' | 'hidden'

/** What policies that can be spelled out as `custom` keep. */
export const parts: Readonly<Record<string, readonly Part[]>> = {
  none: ['queries', 'context', 'output', 'hidden'],
  minimal: ['queries', 'output', 'hidden'],
  save_dot_with_context_except_mlp: ['queries', 'context', 'output'],
  save_dot_except_mlp: ['queries', 'output'],
  save_qkv_proj: ['queries'],
  save_out_proj: ['output'],
  save_mlp_proj: ['output', 'hidden'],
  full: [],
  minimal_offloaded: ['queries', 'output', 'hidden'],
  qkv_proj_offloaded: ['queries'],
  qkv_input_offloaded: ['queries'],
  qkv_out_input_offloaded: ['queries', 'output'],
  full_offloaded: [],
} satisfies Partial<Record<PolicyName, readonly Part[]>>

export function maxtextRecomputation({ recomputation, model }: Run): Readonly<Record<string, string>> | null {
  const { policy, count } = recomputation
  if (count > 0) return null
  const named = !model.experts && !model.attention.latent
  const name = named || policy === recomputeEverything.name ? names[policy] : undefined
  if (name) return { remat_policy: name }
  const composed = composedPlaces(policy)
  if (composed) return { remat_policy: 'custom', decoder_layer_input: 'device', ...composed }
  const kept = parts[policy]
  if (!kept) return null
  const host = hostPart(policy)
  const tensors = kept.flatMap((part) => tensorsOf[part](model))
  const places = tensors.map((tensor) => [tensor, host ? 'offload' : 'device'])
  const input = host?.input ? 'offload' : 'device'
  return { remat_policy: 'custom', decoder_layer_input: input, ...Object.fromEntries(places) }
}

/** Those of the table that MaxText has. */
export const maxtextPolicies: readonly string[] = policyNames('counted').filter((name) => name in parts)

/** Whether the policy keeps arrays on the host. */
export function offloadsActivations({ recomputation }: Run): boolean {
  return hostPart(recomputation.policy) !== undefined
}

export function hostPart(policy: string): HostPart | undefined {
  return policyNamed(policy)?.host
}

/** Whether the plan keeps what was sent to experts on other chips, which MaxText sends again. */
export function sendsAgain({ recomputation, mesh }: Run): boolean {
  const policy = policyNamed(recomputation.policy)
  return mesh.expert > 1 && policy !== undefined && keepsCopies(policy)
}

const tensorsOf: Readonly<Record<Part, (model: Transformer) => readonly string[]>> = {
  queries: ({ attention: { latent } }) => {
    const low = latent ? compact(latent.queryRank !== null && 'query_wa_proj', 'kv_wa_proj') : []
    return ['query_proj', 'key_proj', 'value_proj', ...low]
  },
  context: () => ['context'],
  output: () => ['out_proj'],
  hidden: ({ gatedMlp, experts }) =>
    gatedMlp ? compact('mlpwi_0', 'mlpwi_1', experts && 'moe_mlpwi_1') : ['mlpwi'],
}
