/** Rematerialisation policies, as they are asked for. */
import { policies } from './policies.ts'
import type { PolicyRow } from './policy-row.ts'

export const policyRows: readonly PolicyRow[] = policies

/** No other does less work, or keeps more. */
export const keepEverything: PolicyRow = policies[0]

/** Policies that can be costed: under the book's table, those that the book counts. */
export function offeredPolicies(activations: 'counted' | 'book'): readonly PolicyRow[] {
  return policyRows.filter(({ book }) => activations === 'counted' || book !== undefined)
}

export function policyNames(activations: 'counted' | 'book'): readonly string[] {
  return offeredPolicies(activations).map(({ name }) => name)
}
