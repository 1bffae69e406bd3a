/** Suggestions of more memory, more chips, or a smaller batch, for training and inference. */
import type { Chip } from '../../hardware/chip.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Setting } from '../../problem.ts'
import { leastWithin } from '../../threshold.ts'
import type { Bytes } from '../../units.ts'
import type { Suggestion } from '../answer.ts'
import { bytesText, counted } from '../explain/figures.ts'
import type { Plan } from '../plan.ts'
import { type LargerHardware, largerHardware, type SizedSetting } from './larger-hardware.ts'

/** Chips are multiplied by at most this much. */
const mostTimes = 256

/** Suggests what the nearest plan needs if that suffices, otherwise the least budget found; never more than the chip has beside its reserve. */
export function budgetSuggestion(
  { cluster, memoryBudget, assumptions }: Setting,
  nearest: Pick<Plan, 'memoryBytes' | 'summary'> | null,
  fits: (memoryBudget: Bytes) => boolean,
): Suggestion | null {
  const { hbmBytes } = cluster.chip
  const most = Math.floor((1 - assumptions.reserveFraction) * hbmBytes)
  const needed = nearest ? Math.ceil(nearest.memoryBytes.total - nearest.memoryBytes.reserve) : 0
  const found = leastBudget(Math.max(needed, Math.ceil(memoryBudget)), most, fits)
  if (found === null || found <= memoryBudget) return null
  const own = nearest && found === needed ? `"${nearest.summary}" needs` : 'a plan needs about'
  return {
    change: 'a larger memory budget',
    pointer: '/memoryBudget',
    value: { bytesPerChip: found },
    detail: `the chip has ${bytesText(hbmBytes)}; ${own} ${bytesText(found)}`,
  }
}

/** The least budget that fits, to within 1 %; exactly `needed` if that fits. */
function leastBudget(needed: Bytes, most: Bytes, fits: (memoryBudget: Bytes) => boolean): Bytes | null {
  if (needed > most) return null
  if (fits(needed)) return needed
  if (!fits(most)) return null
  return leastWithin(0.01, [needed, most], Math.ceil, fits)
}

/** Doubles the chips until something fits, then suggests the least number between that and its half. */
export function chipsSuggestion(
  setting: SizedSetting,
  fits: (cluster: Cluster) => boolean,
): Suggestion | null {
  const larger = largerThatFits(setting, fits)
  return larger && moreChips(larger)
}

export function largerThatFits(
  setting: SizedSetting,
  fits: (cluster: Cluster) => boolean,
): LargerHardware | null {
  const { chips } = setting.cluster
  const held = (count: number): LargerHardware | null => {
    const larger = largerHardware(setting, count)
    return larger && fits(larger.cluster) ? larger : null
  }
  return doubled(chips, mostTimes, (count) => {
    const most = held(count)
    return most && fewest(setting.cluster.chip, held, count / 2, most)
  })
}

/** What is found with the least of twice the chips, four times, and so on, with which anything is. */
export function doubled<Found>(
  chips: number,
  most: number,
  foundWith: (chips: number) => Found | null,
): Found | null {
  for (let times = 2; times <= most; times *= 2) {
    const found = foundWith(times * chips)
    if (found) return found
  }
  return null
}

/** Tries numbers of chips between one that does not do and one that does, then those between what is found and the one before it. */
function fewest(
  chip: Chip,
  held: (chips: number) => LargerHardware | null,
  missed: number,
  most: LargerHardware,
): LargerHardware {
  let [low, found] = [missed, most]
  for (let round = 0; round < rounds; round++) {
    for (const count of countsBetween(chip, low, found.cluster.chips)) {
      const fewer = held(count)
      if (fewer) {
        found = fewer
        break
      }
      low = count
    }
  }
  return found
}

/** Finds the number to within a 64th of the half that it lies in. */
const rounds = 2

export function moreChips({ cluster, pointer, value, shape, also }: LargerHardware): Suggestion {
  return {
    change: 'more chips',
    pointer,
    value,
    detail: `${counted(cluster.chips, 'chip')}${shape} are enough`,
    ...(also.length > 0 ? { also } : {}),
  }
}

/**
 * Numbers of chips to try between two others, in eighths of the way rounded up to what is bought whole; largerHardware
 * drops those that do not exist.
 */
function countsBetween(chip: Chip, low: number, high: number): readonly number[] {
  const unit = chipsBought(chip)
  const step = Math.max(unit, Math.ceil((high - low) / 8 / unit) * unit)
  const counts: number[] = []
  for (let count = Math.floor(low / unit) * unit + step; count < high; count += step) {
    if (count > low) counts.push(count)
  }
  return counts
}

/** Chips that come together: a node, or four of a torus. */
export function chipsBought({ system }: Chip): number {
  return system.kind === 'switched' ? (system.tiers[0]?.size ?? 8) : 4
}

/** The largest count below `asked` that fits: halves it until one fits, then bisects up to double that. */
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
