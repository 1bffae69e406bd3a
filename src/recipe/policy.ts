/** Rematerialisation policies, looked up by name. */
import { inputAlone, policies } from './policies.ts'
import type { PolicyRow } from './policy-row.ts'

export const policyRows: readonly PolicyRow[] = policies

/** No other policy does less work, or keeps more. */
export const keepEverything: PolicyRow = policies[0]

export const recomputeEverything: PolicyRow = inputAlone

export function policyNamed(name: string): PolicyRow | undefined {
  return policyRows.find((row) => row.name === name)
}

/** How many of a layer's two norms are computed again. */
export function normsAgain({ attention, mlp }: PolicyRow): number {
  return [attention, mlp].filter((kept) => !kept.includes('In')).length
}

/** Whether copies of tokens stay with their experts until the backward pass, and need not be sent again. */
export function keepsCopies({ mlp }: PolicyRow): boolean {
  return mlp.includes('Dispatched')
}

/** How activations are counted: array by array, or by the book's table. */
export const activationCounts = ['counted', 'book'] as const

export type ActivationCount = (typeof activationCounts)[number]

/** Policies that can be costed: under the book's table, those that the book counts. */
export function offeredPolicies(activations: ActivationCount): readonly PolicyRow[] {
  return policyRows.filter(({ book }) => activations === 'counted' || book !== undefined)
}

export function policyNames(activations: ActivationCount): readonly string[] {
  return offeredPolicies(activations).map(({ name }) => name)
}
