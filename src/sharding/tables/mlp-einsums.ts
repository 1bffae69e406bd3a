/** The matmuls of an MLP, gated or plain: a dense one, that of routed experts, or that of shared experts. */
import type { Einsum } from '../component.ts'

export interface MlpNames {
  /** Names of the arrays that go in and come out. */
  readonly from?: string
  readonly to?: string
  /** Prefix of the inner arrays and the weights, where a component has another MLP beside this one. */
  readonly prefix?: string
  /** What a plain activation function reads has an array, as in training: the backward pass reads it too. */
  readonly keptBefore?: boolean
}

export function mlpEinsums(
  gated: boolean,
  { from = 'In', to = 'Out', prefix = '', keptBefore = false }: MlpNames = {},
): readonly Einsum[] {
  const [gate, up, tmp] = [`${prefix}Gate`, `${prefix}Up`, `${prefix}Tmp`]
  const weight = (name: string) => `W_${prefix}${name}`
  const last: Einsum = { out: to, left: tmp, right: weight('out'), kind: 'matmul' }
  if (!gated) {
    const first: Einsum = { out: tmp, left: from, right: weight('in'), kind: 'matmul' }
    return [keptBefore ? { ...first, before: up } : first, last]
  }
  return [
    { out: gate, left: from, right: weight('gate'), kind: 'matmul' },
    { out: up, left: from, right: weight('in'), kind: 'matmul' },
    { out: tmp, left: gate, right: up, kind: 'elementwise' },
    last,
  ]
}
