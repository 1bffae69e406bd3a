/**
 * Cuts of a network: units of u chips, and how fast one chip can send out of its unit. However a group of g chips lies,
 * with at most a of them in one unit, a gather of V bytes takes at least
 *
 *   t >= V · (1/a - 1/g) / rate,   and any axes together: Π a <= u
 *
 * because on each part i of the network outside the unit it is busy for t_i with Σ_i w_i·t_i >= 1/a - 1/g
 * (hardware/network/torus-collective.ts: the shares of the parts telescope), and rate is Σ w_i. The first cut is around single chips:
 * all links at once. The others are around nodes and the tiers above, or around slices. The same holds for several
 * collectives together, whose shares add up on every part.
 */
import type { Assumptions } from '../../../assumptions/assumptions.ts'
import type { Cluster, SwitchedNetwork, TorusNetwork } from '../../../hardware/cluster/cluster.ts'
import { tierEfficiency } from '../../../hardware/network/group-cost.ts'
import { type Axis, axes, axesAcrossSlices } from '../../../sharding/axis.ts'
import type { BytesPerSecond } from '../../../units.ts'

export interface Cut {
  readonly name: string
  readonly unit: number
  readonly rate: BytesPerSecond
  /** Share of the rate that ICI or the innermost tier gives; the rest is DCN or the tiers above. */
  readonly insideFraction: number
  /** Axes whose groups may leave a unit. */
  readonly across: readonly Axis[]
}

export function networkCuts({ network, chips }: Cluster, assumptions: Assumptions): readonly Cut[] {
  return network.kind === 'torus'
    ? torusCuts(network, assumptions)
    : switchedCuts(network, chips, assumptions)
}

function torusCuts(network: TorusNetwork, assumptions: Assumptions): readonly Cut[] {
  const link = network.linkBytesPerSecond * assumptions.scaleUpEfficiency
  const links = network.topology.reduce(
    (count, length, axis) => count + (length === 1 ? 0 : network.wraps[axis] ? 2 : 1),
    0,
  )
  const inside = links * link
  const between = network.slices > 1 ? network.dcnBytesPerSecondPerChip * assumptions.scaleOutEfficiency : 0
  const slice = network.topology.reduce((product, length) => product * length, 1)
  const all: Cut = {
    name: between > 0 ? 'ici and dcn' : 'ici',
    unit: 1,
    rate: inside + between,
    insideFraction: inside / (inside + between),
    across: axes,
  }
  const slices: Cut = {
    name: 'dcn',
    unit: slice,
    rate: between,
    insideFraction: 0,
    across: axesAcrossSlices,
  }
  return [...(all.rate > 0 ? [all] : []), ...(between > 0 ? [slices] : [])]
}

function switchedCuts({ tiers }: SwitchedNetwork, chips: number, assumptions: Assumptions): readonly Cut[] {
  const levels: { readonly name: string; readonly unit: number; readonly rate: BytesPerSecond }[] = []
  let unit = 1
  tiers.forEach((tier, level) => {
    const efficiency = tierEfficiency(assumptions, level)
    // Groups that do not divide a unit are costed as if they straddled it, even where it has room for all chips.
    const mayLeave = unit % chips !== 0 && Number.isFinite(unit)
    if (mayLeave) levels.push({ name: tier.name, unit, rate: tier.bytesPerSecondPerChip * efficiency })
    unit *= tier.size ?? Number.POSITIVE_INFINITY
  })
  // The same holds at the end of the outermost tier: no share of such groups is certain to leave a unit.
  if (Number.isFinite(unit) && unit % chips !== 0) return []
  return levels
    .filter((level) => level.unit < chips)
    .map((level, index) => {
      const outward = levels.slice(index)
      const rate = outward.reduce((sum, own) => sum + own.rate, 0)
      return {
        name: outward.map(({ name }) => name).join(' and '),
        unit: level.unit,
        rate,
        insideFraction: index === 0 ? level.rate / rate : 0,
        across: axes,
      }
    })
}
