/**
 * Prefill instances that no other of the same size is at least as good as, whatever is asked of the deployment.
 *
 *   apart     no more prompts together, and no longer for each: nothing that a request waits for is then longer, be it the prefill, the queue before it
 *             or the transfer of all these prompts behind it
 *   beside    also no more memory, to work with or for a second copy of the weights: on the chips of generation fewer prompts leave room for
 *             more sequences, and less of them is read in the steps of a request
 *
 * The time of a prefill alone tells neither: where hosts take as long to start one prompt as many, the most prompts would take as long as any, and send the
 * most behind them.
 */
import { known, rememberedOf } from '../../known.ts'
import { frontier } from '../generate/frontier.ts'
import type { GenerateInstance, PrefillInstance } from './instance.ts'

/** Found once for a list: instances of one size are paired with those of every other. */
export const undominatedApart = rememberedOf((prefills: readonly PrefillInstance[]) =>
  frontier(prefills, {
    latency: ({ prompts }) => prompts,
    cost: secondsEach,
    compare: (a, b) => a.workspace - b.workspace,
  }),
)

export function undominatedBeside(
  prefills: readonly PrefillInstance[],
  { storage }: Pick<GenerateInstance, 'storage'>,
): readonly PrefillInstance[] {
  const kept: PrefillInstance[] = []
  const byStorage = new Map<string, PrefillInstance[]>()
  const alike = (stored: string) => known(byStorage, stored, () => [])
  const best = [...prefills].sort(
    (a, b) =>
      a.prompts - b.prompts ||
      secondsEach(a) - secondsEach(b) ||
      a.workspace - b.workspace ||
      Number(b.storage === storage) - Number(a.storage === storage),
  )
  for (const one of best) {
    const most = secondsEach(one) * (1 + rounding)
    const beats = (other: PrefillInstance) => secondsEach(other) <= most && other.workspace <= one.workspace
    if (alike(one.storage).some(beats) || alike(storage).some(beats)) continue
    kept.push(one)
    alike(one.storage).push(one)
  }
  return kept
}

function secondsEach({ seconds, prompts }: PrefillInstance): number {
  return seconds / prompts
}

/** Times that differ relatively by less count as equal: they are the same sums in another order. */
const rounding = 1e-9
