/** How MaxText's keys have experts multiply. Source: as config.ts, src/maxtext/layers/moe.py. */
import type { Keys } from '../../read/fields.ts'

/** Grouped matmuls (`sparse_matmul`) run the experts of each token, whatever the capacity; without them all experts run, or as many tokens of each as there is room for. */
export function expertFaults(keys: Keys, hasExperts: boolean): readonly string[] {
  const grouped = keys.is('sparse_matmul', true)
  const capacity = keys.number('capacity_factor', -1)
  if (grouped || !hasExperts) return []
  const runs =
    capacity > 0
      ? `has every expert take ${capacity} times its share of tokens, padded or dropped (capacity_factor)`
      : 'runs all experts on each token'
  return [`sparse_matmul=false ${runs}, which is not counted: the nearest is sparse_matmul=true`]
}
