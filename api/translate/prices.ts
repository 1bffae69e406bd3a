/** What chips cost an hour, and who says it: prices of different sources are no measure of chips against each other. */
import type { Chip } from '../../src/hardware/chip.ts'
import type { Setting } from '../../src/problem.ts'
import { type Catalogue, knownChip } from '../catalogue.ts'
import { faultyValue } from '../problems.ts'

/** Cost per token is no objective where nobody says what the chip costs. */
export function refuseUnpriced({ objective, cluster }: Pick<Setting, 'objective' | 'cluster'>): void {
  const { name, usdPerHour } = cluster.chip
  if (objective !== 'costPerToken' || usdPerHour !== undefined) return
  const detail = `objective costPerToken needs a price, and ${name} has none here: say what one chip costs an hour as hardware.usdPerHour`
  throw faultyValue('impossible-combination', { pointer: '/hardware/usdPerHour', detail })
}

type Priced = Pick<Chip, 'name' | 'usdPerHour'>

type Chips = Pick<Catalogue, 'chips'>

/** Whose price it is that costs are ranked by. */
export function pricedAs(chip: Priced, catalogue: Chips): readonly string[] {
  const source = sourceOf(chip, catalogue)
  return source ? [`costs are of ${priceText(chip)}: ${source}`] : []
}

/** A cost beside that of another chip, whose price is of another seller or day. */
export function pricedApart(one: Priced, other: Priced, catalogue: Chips): readonly string[] {
  const [first, second] = [sourceOf(one, catalogue), sourceOf(other, catalogue)]
  if (!first || !second || kindOf(first) === kindOf(second)) return []
  return [
    `costs are of prices of different kinds, ${priceText(one)} (${kindOf(first)}) and ${priceText(other)} (${kindOf(second)}): say what you pay as hardware.usdPerHour of both`,
  ]
}

/** Null of a price that the request says itself, and of none. */
function sourceOf({ name, usdPerHour }: Priced, catalogue: Chips): string | null {
  const record = knownChip(catalogue, name)
  if (usdPerHour === undefined || record?.usdPerHour !== usdPerHour) return null
  return record.sources['/usdPerHour'] ?? null
}

/** Who lists it, since when: sources begin with that, or end with it behind what quotes it. */
function kindOf(source: string): string {
  const quoted = /: (on-demand price .+)$/.exec(source)?.[1]
  return (quoted ?? source).split(/[,(:]/)[0]?.trim() ?? source
}

function priceText({ name, usdPerHour }: Priced): string {
  return `${name} at ${usdPerHour} USD an hour`
}
