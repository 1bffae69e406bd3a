/**
 * torchtitan recomputes no layer, every layer, or every n-th layer of a rank, counted over all of its chunks, which are
 * floor(L / n) of L. Null if no n gives the plan's number. Its selective checkpointing by operation keeps every other
 * matmul, which no policy of ours does. Source: as config.ts, and torchtitan/distributed/activation_checkpoint.py.
 */
import type { PolicyName } from '../../recipe/policies.ts'
import { keepEverything, recomputeEverything } from '../../recipe/policy.ts'
import type { Run } from '../run/run.ts'

const modes: Readonly<Record<string, string>> = { none: 'none', full: 'full' } satisfies Partial<
  Record<PolicyName, string>
>

export function torchtitanRecomputation({
  recomputation,
  stageLayers,
}: Run): Readonly<Record<string, string>> | null {
  const { policy, other, count } = recomputation
  if (count === 0) {
    const mode = modes[policy]
    return mode ? { mode } : null
  }
  if (policy !== keepEverything.name || other !== recomputeEverything.name) return null
  for (let every = 2; every <= Math.max(...stageLayers); every++) {
    if (stageLayers.every((layers) => Math.floor(layers / every) === Math.min(count, layers))) {
      return { mode: 'selective', selective_ac_option: `${every}` }
    }
  }
  return null
}
