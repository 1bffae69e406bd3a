/** More memory, or more chips: suggestions that training and inference share. */
import type { Cluster } from '../hardware/cluster.ts'
import { resizedCluster } from '../hardware/resized-cluster.ts'
import type { Setting } from '../problem.ts'
import { bytesText } from './figures.ts'
import type { Plan, Suggestion } from './plan.ts'

/** How far a suggestion looks: this many doublings. */
const doublings = 8

/** What the nearest plan needs, where the chip has it. */
export function budgetSuggestion(
  { cluster, memoryBudget }: Setting,
  nearest: Pick<Plan, 'memoryBytes' | 'summary'> | null,
): readonly Suggestion[] {
  if (!nearest) return []
  const needed = Math.ceil(nearest.memoryBytes.total)
  if (needed > cluster.chip.hbmBytes || needed <= memoryBudget) return []
  return [
    {
      change: 'a larger memory budget',
      pointer: '/memoryBudget',
      value: { bytesPerChip: needed },
      detail: `the chip has ${bytesText(cluster.chip.hbmBytes)}; "${nearest.summary}" needs ${bytesText(needed)}`,
    },
  ]
}

/** The least doubling of the chips that fits, then the least number between it and its half. */
export function chipsSuggestion(
  cluster: Cluster,
  fits: (cluster: Cluster) => boolean,
): readonly Suggestion[] {
  const { chips } = cluster
  const holds = (count: number) => {
    const larger = resizedCluster(cluster, count)
    return larger !== null && fits(larger)
  }
  for (let factor = 2; factor <= 2 ** doublings; factor *= 2) {
    if (!holds(chips * factor)) continue
    const between = countsBetween(cluster, (chips * factor) / 2, chips * factor)
    const least = between.find(holds) ?? chips * factor
    const larger = resizedCluster(cluster, least)
    const shape = larger?.network.kind === 'torus' ? `, as ${larger.network.topology.join('x')}` : ''
    return [
      {
        change: 'more chips',
        pointer: '/hardware/chips',
        value: least,
        detail: `${least} of them${shape} are enough`,
      },
    ]
  }
  return []
}

/** Numbers of chips that can be had: quarters of the way on switched networks, legal slices on a torus. */
function countsBetween(cluster: Cluster, low: number, high: number): readonly number[] {
  const { chip } = cluster
  const unit = chip.system.kind === 'switched' ? (chip.system.tiers[0]?.size ?? 8) : 4
  const step = Math.max(unit, Math.ceil((high - low) / 8 / unit) * unit)
  const counts: number[] = []
  for (let count = Math.floor(low / unit) * unit + step; count < high; count += step) {
    if (count > low && resizedCluster(cluster, count)) counts.push(count)
  }
  return counts
}
