/** Hourly prices of chips and their sources: prices from different sources do not compare chips fairly. */
import type { Chip } from '../../src/hardware/chip.ts'
import { kinOf } from '../../src/hardware/kin.ts'
import type { Setting } from '../../src/problem.ts'
import { type Catalogue, knownChip } from '../catalogue.ts'
import { faultyValue } from '../problems.ts'

/** Cost per token cannot be the objective if nobody says what the chip costs. */
export function refuseUnpriced({ objective, cluster }: Pick<Setting, 'objective' | 'cluster'>): void {
  const { name, usdPerHour } = cluster.chip
  if (objective !== 'costPerToken' || usdPerHour !== undefined) return
  const detail = `objective costPerToken needs a price, and ${name} has none here: give the price of one chip per hour as hardware.usdPerHour`
  throw faultyValue('impossible-combination', { pointer: '/hardware/usdPerHour', detail })
}

type Priced = Pick<Chip, 'name' | 'kin' | 'usdPerHour'>

type Chips = Pick<Catalogue, 'chips'>

/** Says whose price costs are ranked by. */
export function pricedAs(chip: Priced, catalogue: Chips): readonly string[] {
  const source = sourceOf(chip, catalogue)
  return source
    ? [`costs are of a list price, ${priceText(chip)}: ${source}; say what you pay as hardware.usdPerHour`]
    : []
}

/** Warns if two chips are compared by prices from different sellers or dates. */
export function pricedApart(one: Priced, other: Priced, catalogue: Chips): string | null {
  const [first, second] = [sourceOf(one, catalogue), sourceOf(other, catalogue)]
  if (!first || !second || kindOf(first) === kindOf(second)) return null
  return `costs are of prices of different kinds, ${priceText(one)} (${kindOf(first)}) and ${priceText(other)} (${kindOf(second)}): say what you pay as hardware.usdPerHour of both`
}

/** Null if the request gives the price itself, or there is none. */
function sourceOf(chip: Priced, catalogue: Chips): string | null {
  const { usdPerHour } = chip
  const record = knownChip(catalogue, kinOf(chip) ?? '')
  if (usdPerHour === undefined || record?.usdPerHour !== usdPerHour) return null
  return record.sources['/usdPerHour'] ?? null
}

/** The seller and date, which are at the beginning of a source, or at its end if it quotes another. */
function kindOf(source: string): string {
  const quoted = /: (on-demand price .+)$/.exec(source)?.[1]
  return (quoted ?? source).split(/[,(:]/)[0]?.trim() ?? source
}

function priceText({ name, usdPerHour }: Priced): string {
  return `${name} at ${usdPerHour} USD an hour`
}
