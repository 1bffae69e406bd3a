/**
 * Figures of hardware in other units than theirs: 3350 for 3.35e12 bytes a second. A figure is taken for one if it is a thousand or more
 * times below or above those of all chips of the catalogue, and the nearest power of a thousand that brings it among them is proposed.
 */
import { type Fields, isFields } from '../../src/fields.ts'
import type { Fault } from '../problems.ts'

const step = 1000

/** Where a figure stands in a chip or in a request, a star for any key. A figure is held to those of all places in its row. */
const rows: readonly (readonly string[])[] = [
  ['hbmBytes'],
  ['hbmBytesPerSecond'],
  ['hostBytesPerSecond'],
  ['peakFlopsPerSecond.*'],
  [
    ...[
      'system.tiers.*.bytesPerSecondPerChip',
      'system.linkBytesPerSecond',
      'system.dcnBytesPerSecondPerChip',
    ],
    ...['network.tiers.*.bytesPerSecondPerChip', 'networkBytesPerSecond'],
    ...['network.scaleUpBytesPerSecondPerChip', 'network.scaleOutBytesPerSecondPerChip'],
  ],
]

export function outOfScale(hardware: Fields, chips: readonly object[]): readonly Fault[] {
  return rows.flatMap((places) => {
    const asked = [...figuresAt(hardware, places), ...figuresAt(hardware.chip, places, '/chip')]
    if (asked.length === 0) return []
    const all = chips.flatMap((chip) => figuresAt(chip, places)).map(({ value }) => value)
    const [least, most] = [Math.min(...all), Math.max(...all)]
    return asked
      .filter(({ value }) => value * step <= least || value >= most * step)
      .map(({ at, value }) => faultAt(`/hardware${at}`, value, least, most))
  })
}

function faultAt(pointer: string, value: number, least: number, most: number): Fault {
  const meant = inScale(value, least, most)
  const away = `is ${value}, where chips have ${least} to ${most}`
  if (meant === null) return { pointer, detail: away }
  return { pointer, detail: `${away}: did you mean ${meant}?`, correction: [{ pointer, value: meant }] }
}

/** The value times a power of a thousand, the nearest to it that is among the figures; null if none is. */
function inScale(value: number, least: number, most: number): number | null {
  const powers = [1, 2, 3, 4, 5].flatMap((power) => [step ** power, step ** -power])
  const meant = powers
    .map((power) => Number((value * power).toPrecision(12)))
    .find((one) => one >= least / 2 && one <= most * 2)
  return meant ?? null
}

interface Figure {
  readonly at: string
  readonly value: number
}

function figuresAt(value: unknown, places: readonly string[], from = ''): readonly Figure[] {
  return places.flatMap((place) => found(value, place.split('.'), from))
}

function found(value: unknown, [key, ...rest]: readonly string[], at: string): readonly Figure[] {
  if (key === undefined) return typeof value === 'number' && value > 0 ? [{ at, value }] : []
  if (typeof value !== 'object' || value === null) return []
  const own = key === '*' ? Object.keys(value) : [key]
  const fields = isFields(value) ? value : Object.fromEntries(Object.entries(value))
  return own.flatMap((one) => found(fields[one], rest, `${at}/${one}`))
}
