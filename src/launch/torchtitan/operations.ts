/**
 * torchtitan's selective checkpointing by operation, as a policy of the table. It keeps the results of every second matmul, so that it
 * depends on the order of a model's matmuls what is kept: a row each. Not mapped: layers with biases (gpt-oss), whose matmuls it does not
 * know; fp8, whose matmuls are not on its list; latent attention without a low rank of queries; and tensor parallelism, where results that
 * are yet to be reduced are kept whole. Source: recipe/policies.ts.
 */
import type { PolicyName } from '../../recipe/policies.ts'

export const byOperation = 'op'

interface Checkpointed {
  readonly name: string
  /** Whether queries come through a low rank. */
  readonly lowRank: boolean
  readonly tensor: number
  readonly fp8: boolean
}

const rows: readonly (readonly [name: string, lowRank: boolean, policy: PolicyName])[] = [
  ['llama3', false, 'selective_op'],
  ['qwen3', false, 'selective_op'],
  ['deepseek_v3', true, 'selective_op_latent'],
]

/** Whether a policy is that of any model: asked of every plan, where what follows is not known yet. */
export function isByOperation(policy: string): boolean {
  return rows.some(([, , own]) => own === policy)
}

/** Null where no row keeps what it keeps. */
export function policyByOperation({ name, lowRank, tensor, fp8 }: Checkpointed): PolicyName | null {
  if (tensor > 1 || fp8) return null
  const [, , policy = null] = rows.find(([own, low]) => own === name && low === lowRank) ?? []
  return policy
}
