/** A cluster with one resource made faster or slower, and the names by which people call its networks. */
import type { ElementType } from '../../recipe/element-types.ts'
import type { Chip } from '../chip.ts'
import type { Cluster, Network } from './cluster.ts'

/** Names of the networks that chips of this cluster use, innermost first: tiers of switches, or `ici` and, between slices, `dcn`. */
export function networkNames({ chips, network }: Cluster): readonly string[] {
  if (network.kind === 'torus') return network.slices > 1 ? ['ici', 'dcn'] : ['ici']
  let unit = 1
  const names = network.tiers.flatMap(({ name, size }) => {
    const used = unit < chips
    unit *= size ?? Number.POSITIVE_INFINITY
    return used ? [name] : []
  })
  return [...new Set(names)]
}

/** Scales each network's bandwidth; level 0 is inside a node or slice, all others are between them. */
export function withNetworks(cluster: Cluster, factor: (name: string, level: number) => number): Cluster {
  return { ...cluster, network: scaledNetwork(cluster.network, factor) }
}

function scaledNetwork(network: Network, factor: (name: string, level: number) => number): Network {
  if (network.kind === 'torus') {
    return {
      ...network,
      linkBytesPerSecond: network.linkBytesPerSecond * factor('ici', 0),
      dcnBytesPerSecondPerChip: network.dcnBytesPerSecondPerChip * factor('dcn', 1),
    }
  }
  const tiers = network.tiers.map((tier, level) => ({
    ...tier,
    bytesPerSecondPerChip: tier.bytesPerSecondPerChip * factor(tier.name, level),
  }))
  return { ...network, tiers }
}

/** Scales the peak of every element type. */
export function withFlops(cluster: Cluster, factor: number): Cluster {
  const types = Object.entries(cluster.chip.peakFlopsPerSecond) as readonly [ElementType, number][]
  const peakFlopsPerSecond = Object.fromEntries(types.map(([type, peak]) => [type, peak * factor]))
  return withChip(cluster, { peakFlopsPerSecond })
}

export function withHbm(cluster: Cluster, factor: number): Cluster {
  return withChip(cluster, { hbmBytesPerSecond: cluster.chip.hbmBytesPerSecond * factor })
}

export function withHost(cluster: Cluster, factor: number): Cluster {
  return withChip(cluster, { hostBytesPerSecond: cluster.chip.hostBytesPerSecond * factor })
}

function withChip(cluster: Cluster, changed: Partial<Chip>): Cluster {
  return { ...cluster, chip: { ...cluster.chip, ...changed } }
}
