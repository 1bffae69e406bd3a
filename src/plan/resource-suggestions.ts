/** More memory, more chips, or less of a batch: suggestions that training and inference share. */
import type { Cluster } from '../hardware/cluster.ts'
import type { Setting } from '../problem.ts'
import type { Bytes } from '../units.ts'
import { bytesText, counted } from './figures.ts'
import { type LargerHardware, largerHardware } from './larger-hardware.ts'
import type { Plan, Suggestion } from './plan.ts'

/** How far a suggestion looks: this many doublings. */
const doublings = 8

/** What the nearest plan needs, where the chip has it and its margin. */
export function budgetSuggestion(
  { cluster, memoryBudget, assumptions }: Setting,
  nearest: Pick<Plan, 'memoryBytes' | 'summary'> | null,
  fits: (memoryBudget: Bytes) => boolean = () => true,
): readonly Suggestion[] {
  if (!nearest) return []
  const { hbmBytes } = cluster.chip
  const needed = Math.ceil(nearest.memoryBytes.total - nearest.memoryBytes.reserve)
  if (needed > (1 - assumptions.reserveFraction) * hbmBytes || needed <= memoryBudget || !fits(needed))
    return []
  return [
    {
      change: 'a larger memory budget',
      pointer: '/memoryBudget',
      value: { bytesPerChip: needed },
      detail: `the chip has ${bytesText(hbmBytes)}; "${nearest.summary}" needs ${bytesText(needed)}`,
    },
  ]
}

/** The least doubling of the chips that fits, then the least number between it and its half. */
export function chipsSuggestion(
  setting: Pick<Setting, 'cluster' | 'asked'>,
  fits: (cluster: Cluster) => boolean,
): readonly Suggestion[] {
  const larger = largerThatFits(setting, fits)
  return larger ? [moreChips(larger)] : []
}

export function largerThatFits(
  setting: Pick<Setting, 'cluster' | 'asked'>,
  fits: (cluster: Cluster) => boolean,
): LargerHardware | null {
  const { chips } = setting.cluster
  const held = (count: number): LargerHardware | null => {
    const larger = largerHardware(setting, count)
    return larger && fits(larger.cluster) ? larger : null
  }
  for (let factor = 2; factor <= 2 ** doublings; factor *= 2) {
    const most = held(chips * factor)
    if (!most) continue
    for (const count of countsBetween(setting, (chips * factor) / 2, chips * factor)) {
      const fewer = held(count)
      if (fewer) return fewer
    }
    return most
  }
  return null
}

export function moreChips({ cluster, pointer, value, shape }: LargerHardware): Suggestion {
  return {
    change: 'more chips',
    pointer,
    value,
    detail: `${counted(cluster.chips, 'chip')}${shape} are enough`,
  }
}

/** Numbers of chips that can be had: quarters of the way on switched networks, legal slices on a torus. */
function countsBetween(
  setting: Pick<Setting, 'cluster' | 'asked'>,
  low: number,
  high: number,
): readonly number[] {
  const { chip } = setting.cluster
  const unit = chip.system.kind === 'switched' ? (chip.system.tiers[0]?.size ?? 8) : 4
  const step = Math.max(unit, Math.ceil((high - low) / 8 / unit) * unit)
  const counts: number[] = []
  for (let count = Math.floor(low / unit) * unit + step; count < high; count += step) {
    if (count > low) counts.push(count)
  }
  return counts
}

/** The most of something that fits and is less than asked: halves of it until one fits, then between that and its double. */
export function mostThatFits(asked: number, fits: (count: number) => boolean): number | null {
  let held = Math.floor(asked / 2)
  while (held >= 1 && !fits(held)) held = Math.floor(held / 2)
  if (held < 1) return null
  let missed = Math.min(asked, 2 * held + 1)
  while (missed - held > 1) {
    const middle = Math.floor((held + missed) / 2)
    if (fits(middle)) held = middle
    else missed = middle
  }
  return held
}
