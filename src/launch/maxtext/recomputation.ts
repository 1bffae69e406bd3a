/**
 * MaxText's rematerialisation policy for one of ours; null for a mix of two. Without one (`none`) its scan over layers
 * still recomputes everything, so what keeps every matmul and the attention stands for it; it recomputes norms and
 * activation functions, which cost no matmul. In the same way `minimal`, which recomputes attention alone, stands for
 * Megatron's `selective`. What keeps the MLP's projections is spelled out, and so is every policy where there are experts
 * or latent attention: the named ones forget the experts' second projection and the low ranks. No name keeps the tokens
 * that were sent to their experts: they are sent again. `custom` says of each array whether it is kept on the chip or the
 * host. Source: as config.ts, and src/maxtext/layers/nnx_decoders.py,
 * layers/{linears,moe,attention_mla}.py.
 */

import type { Transformer } from '../../model/transformer.ts'
import type { PolicyName } from '../../recipe/policies.ts'
import { policyRows } from '../../recipe/policy.ts'
import type { HostPart } from '../../recipe/policy-row.ts'
import type { Run } from '../run/run.ts'

const names: Readonly<Record<string, string>> = {
  none: 'minimal_with_context',
  selective: 'minimal',
  minimal: 'minimal',
  save_dot_except_mlp: 'save_dot_except_mlp',
  save_qkv_proj: 'save_qkv_proj',
  save_out_proj: 'save_out_proj',
  full: 'full',
  minimal_offloaded: 'minimal_offloaded',
  qkv_proj_offloaded: 'qkv_proj_offloaded',
} satisfies Partial<Record<PolicyName, string>>

type Part = 'queries' | 'context' | 'output' | 'hidden'

const parts: Readonly<Record<string, readonly Part[]>> = {
  none: ['queries', 'context', 'output', 'hidden'],
  selective: ['queries', 'output', 'hidden'],
  minimal: ['queries', 'output', 'hidden'],
  save_dot_except_mlp: ['queries', 'output'],
  save_qkv_proj: ['queries'],
  save_out_proj: ['output'],
  save_mlp_proj: ['hidden'],
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
  const name = named || policy === 'full' ? names[policy] : undefined
  if (name) return { remat_policy: name }
  const kept = parts[policy]
  if (!kept) return null
  const host = hostPart(policy)
  const tensors = kept.flatMap((part) => tensorsOf(part, model))
  const places = tensors.map((tensor) => [tensor, host ? 'offload' : 'device'])
  const input = host?.input ? 'offload' : 'device'
  return { remat_policy: 'custom', decoder_layer_input: input, ...Object.fromEntries(places) }
}

/** Whether it keeps arrays on the host. */
export function offloadsActivations({ recomputation }: Run): boolean {
  return hostPart(recomputation.policy) !== undefined
}

function hostPart(policy: string): HostPart | undefined {
  return policyRows.find(({ name }) => name === policy)?.host
}

/** The plan keeps what was sent to the experts, and these are on other chips. */
export function sendsAgain({ recomputation, mesh }: Run): boolean {
  return mesh.expert > 1 && ['none', 'selective'].includes(recomputation.policy)
}

function tensorsOf(part: Part, { gatedMlp, experts, attention }: Transformer): readonly string[] {
  if (part === 'context') return ['context']
  if (part === 'output') return ['out_proj']
  if (part === 'hidden') {
    if (!gatedMlp) return ['mlpwi']
    return ['mlpwi_0', 'mlpwi_1', ...(experts ? ['moe_mlpwi_1'] : [])]
  }
  const { latent } = attention
  const low = latent ? [...(latent.queryRank === null ? [] : ['query_wa_proj']), 'kv_wa_proj'] : []
  return ['query_proj', 'key_proj', 'value_proj', ...low]
}
