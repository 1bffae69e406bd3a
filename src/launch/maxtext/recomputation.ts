/**
 * MaxText's name for a rematerialisation policy of ours; null for a mix of two. Without a policy (`none`) its scan over
 * layers still recomputes everything, so that the one which keeps every matmul and the attention stands for it; that
 * recomputes only norms and activation functions. Likewise `minimal`, which recomputes only attention, stands for
 * Megatron's `selective`. Policies that keep the MLP's projections are spelled out as `custom`, and so is every policy
 * for models with experts or latent attention, because MaxText's named ones omit the experts' second projection and the
 * low-rank projections. `custom` says for each array whether it is kept on the chip or on the host. No name keeps
 * tokens after their dispatch to experts: they are sent again. Source: as config.ts, and
 * src/maxtext/layers/nnx_decoders.py, layers/{linears,moe,attention_mla}.py.
 */

import type { Transformer } from '../../model/transformer.ts'
import type { PolicyName } from '../../recipe/policies.ts'
import { keepsCopies, policyNamed, recomputeEverything } from '../../recipe/policy.ts'
import type { HostPart } from '../../recipe/policy-row.ts'
import type { Keys } from '../read/fields.ts'
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
  const name = named || policy === recomputeEverything.name ? names[policy] : undefined
  if (name) return { remat_policy: name }
  const kept = parts[policy]
  if (!kept) return null
  const host = hostPart(policy)
  const tensors = kept.flatMap((part) => tensorsOf[part](model))
  const places = tensors.map((tensor) => [tensor, host ? 'offload' : 'device'])
  const input = host?.input ? 'offload' : 'device'
  return { remat_policy: 'custom', decoder_layer_input: input, ...Object.fromEntries(places) }
}

/** Whether the policy keeps arrays on the host. */
export function offloadsActivations({ recomputation }: Run): boolean {
  return hostPart(recomputation.policy) !== undefined
}

function hostPart(policy: string): HostPart | undefined {
  return policyNamed(policy)?.host
}

/** Whether the plan keeps what was sent to experts on other chips, which MaxText sends again. */
export function sendsAgain({ recomputation, mesh }: Run): boolean {
  const policy = policyNamed(recomputation.policy)
  return mesh.expert > 1 && policy !== undefined && keepsCopies(policy)
}

const tensorsOf: Readonly<Record<Part, (model: Transformer) => readonly string[]>> = {
  queries: ({ attention: { latent } }) => {
    const low = latent ? [...(latent.queryRank === null ? [] : ['query_wa_proj']), 'kv_wa_proj'] : []
    return ['query_proj', 'key_proj', 'value_proj', ...low]
  },
  context: () => ['context'],
  output: () => ['out_proj'],
  hidden: ({ gatedMlp, experts }) =>
    gatedMlp ? ['mlpwi_0', 'mlpwi_1', ...(experts ? ['moe_mlpwi_1'] : [])] : ['mlpwi'],
}

/** The plan's policy for MaxText's keys; null, with a note, if there is none. */
export function readMaxtextPolicy(keys: Keys): {
  readonly policy: string | null
  readonly notes: readonly string[]
} {
  const name = keys.text('remat_policy', 'full')
  const places = Object.fromEntries(
    [...arrays, 'decoder_layer_input'].map((array) => [array, keys.text(array, 'remat')]),
  )
  const found = name === 'custom' ? customPolicy(places) : (aliases[name] ?? policyCalled(name))
  if (found !== null) return { policy: found, notes: [] }
  return {
    policy: null,
    notes: [`remat_policy ${name} is not counted as it is: what is recomputed is chosen`],
  }
}

function policyCalled(name: string): string | null {
  // If two policies share a name, the one that is itself called so.
  return name in names ? name : (Object.entries(names).find(([, own]) => own === name)?.[0] ?? null)
}

/** Old names, and the policies that keep the same arrays. */
const aliases: Readonly<Record<string, string>> = {
  minimal_flash: 'none',
  save_dot_with_context_except_mlp: 'save_dot_except_mlp',
}

const arrays = [
  ...['query_proj', 'key_proj', 'value_proj', 'query_wa_proj', 'kv_wa_proj', 'context', 'out_proj'],
  ...['mlpwi', 'mlpwi_0', 'mlpwi_1', 'mlpwo', 'moe_mlpwi_0', 'moe_mlpwi_1', 'qkv_proj'],
]

const ofPart: Readonly<Record<Part, readonly string[]>> = {
  queries: ['query_proj', 'key_proj', 'value_proj'],
  context: ['context'],
  output: ['out_proj'],
  hidden: ['mlpwi', 'mlpwi_0', 'mlpwi_1'],
}

function customPolicy(places: Readonly<Record<string, string>>): string | null {
  const kept = Object.values(ofPart).flatMap((own) => own.filter((array) => places[array] !== 'remat'))
  const host = kept.some((array) => places[array] === 'offload')
  const input = places.decoder_layer_input === 'offload'
  const match = Object.entries(parts).find(([policy, own]) => {
    const there = hostPart(policy)
    const same = Object.entries(ofPart).every(
      ([part, own_]) => own.includes(part as Part) === own_.some((array) => places[array] !== 'remat'),
    )
    return same && (there !== undefined) === (host || input) && (there?.input ?? false) === input
  })
  return match?.[0] ?? null
}
