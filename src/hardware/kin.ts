/**
 * A chip's kin: the chip of the catalogue that it is, whatever it is called. What was measured of software on a chip (stacks, published
 * runs, how far off predictions were) is kept under the names of the catalogue, and holds for every chip with the same compute units.
 */
import type { Chip } from './chip.ts'

/** Null where what is known of no chip holds for it. */
export function kinOf({ name, kin }: Pick<Chip, 'name' | 'kin'>): string | null {
  return kin === undefined ? name : kin
}

/**
 * Among known chips of its kind that have all of its peaks, the one whose other figures (memory, efficiencies, network) agree most: one die
 * is sold with several memories and networks, as H100, H200, H800 and GH200 are. The first of those that agree as much; null without any.
 */
export function kinAmong(chip: Chip, known: Iterable<Chip>): string | null {
  const { name: _name, kin: _kin, ...figures } = chip
  const [nearest] = [...known]
    .filter((other) => other.kind === chip.kind && hasPeaksOf(other, chip))
    .map(({ name, ...own }) => ({ name, alike: agreement(figures, own) }))
    .sort((one, other) => other.alike - one.alike)
  return nearest?.name ?? null
}

/** A chip without any peak has nobody's. */
function hasPeaksOf(known: Chip, { peakFlopsPerSecond }: Chip): boolean {
  const peaks = Object.entries(peakFlopsPerSecond)
  const theirs = new Map<string, number>(Object.entries(known.peakFlopsPerSecond))
  return peaks.length > 0 && peaks.every(([type, peak]) => theirs.get(type) === peak)
}

/** Number of figures that two records share. */
function agreement(one: unknown, other: unknown): number {
  if (!isRecord(one) || !isRecord(other)) return one === other ? 1 : 0
  return Object.keys(one).reduce((sum, member) => sum + agreement(one[member], other[member]), 0)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
