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
  /** Whether DeepEP's kernels send tokens to experts. */
  readonly deepEp: boolean
}

interface Row extends Pick<Checkpointed, 'name' | 'lowRank'> {
  readonly policy: PolicyName
  readonly withDeepEp: PolicyName
}

const rows: readonly Row[] = [
  ...['llama3', 'qwen3'].map(
    (name): Row => ({
      name,
      lowRank: false,
      policy: 'selective_op',
      withDeepEp: 'selective_op_deepep',
    }),
  ),
  {
    name: 'deepseek_v3',
    lowRank: true,
    policy: 'selective_op_latent',
    withDeepEp: 'selective_op_latent_deepep',
  },
]

/** Whether a policy is that of any model: asked of every plan, where what follows is not known yet. */
export function isByOperation(policy: string): boolean {
  return rows.some((row) => row.policy === policy || row.withDeepEp === policy)
}

/** Null where no row keeps what it keeps. */
export function policyByOperation({ name, lowRank, tensor, fp8, deepEp }: Checkpointed): PolicyName | null {
  if (tensor > 1 || fp8) return null
  const row = rows.find((own) => own.name === name && own.lowRank === lowRank)
  return row ? (deepEp ? row.withDeepEp : row.policy) : null
}
