/** Suggests the largest smaller slice that has a plan, where software takes all chips of a slice and no plan does. */
import { satisfies } from '../../constraint.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { fewerChips } from '../../hardware/cluster/fewer-chips.ts'
import type { Suggestion } from '../answer.ts'
import { counted } from '../explain/figures.ts'
import { largerHardware, type SizedSetting } from './larger-hardware.ts'

/** Numbers of chips that are tried, as each takes a search. */
const mostTried = 6

export function smallerSliceSuggestion(
  setting: SizedSetting,
  fits: (cluster: Cluster) => boolean,
): Suggestion | null {
  const { cluster, constraints } = setting
  if (cluster.network.kind !== 'torus') return null
  const parts = fewerChips(cluster, (chips) => satisfies(chips, constraints.chips))
  const counts = new Set([...parts].map(({ chips }) => chips))
  for (const chips of [...counts].slice(0, mostTried)) {
    const smaller = largerHardware(setting, chips)
    if (!smaller || !fits(smaller.cluster)) continue
    const { pointer, value, shape, also } = smaller
    return {
      change: 'a smaller slice',
      pointer,
      value,
      detail: `${counted(chips, 'chip')}${shape} have a plan that takes all of them`,
      ...(also.length > 0 ? { also } : {}),
    }
  }
  return null
}
