/**
 * The question which layout each component of a layer takes, as numbers:
 *
 *   seconds   Σ_k s_k(x_k) + Σ_e r_e(x_from, x_to)       options and the resharding between them
 *   bytes     Σ_k m_k(x_k) + max_k w_k(x_k)              what stays, and the working set of the component that runs
 *
 * x_k is the option of component k. Seconds are those of the whole step and at least 0, Infinity where an option or a pair
 * is impossible; bytes are those of one chip.
 */
import type { Bytes, Seconds } from '../../units.ts'

export interface LayoutOption {
  readonly name: string
  readonly seconds: Seconds
  /** Resident all the time: weights, caches. */
  readonly bytes: Bytes
  /** Live only while this component runs. */
  readonly workspace: Bytes
}

export interface ComponentOptions {
  readonly name: string
  readonly options: readonly LayoutOption[]
}

/** Resharding between any two components, in either direction, of which there may be several; a component may follow itself. */
export interface Resharding {
  readonly from: number
  readonly to: number
  /** By the option of `from`, then that of `to`. */
  readonly seconds: readonly (readonly Seconds[])[]
}

export interface LayoutQuestion {
  readonly components: readonly ComponentOptions[]
  readonly resharding: readonly Resharding[]
  readonly budget: Bytes
}

export interface LayoutAnswer {
  /** By component, the index of its option. */
  readonly chosen: readonly number[]
  readonly seconds: Seconds
  readonly bytes: Bytes
  /** Whether no other choice is faster within the budget. */
  readonly proven: boolean
}

/** What a choice takes. */
export function accountOf(
  { components, resharding }: LayoutQuestion,
  chosen: readonly number[],
): { readonly seconds: Seconds; readonly bytes: Bytes } {
  let seconds = 0
  let bytes = 0
  let workspace = 0
  for (const [k, { name, options }] of components.entries()) {
    const option = options[chosen[k] ?? -1]
    if (!option) throw new RangeError(`${name} has no option ${chosen[k]}`)
    seconds += option.seconds
    bytes += option.bytes
    workspace = Math.max(workspace, option.workspace)
  }
  for (const { from, to, seconds: table } of resharding) {
    seconds += table[chosen[from] ?? -1]?.[chosen[to] ?? -1] ?? Number.NaN
  }
  return { seconds, bytes: bytes + workspace }
}
