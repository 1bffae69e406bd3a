/** The part of the network that a plan leans on most, by its name on the machine, and the axis that uses it most. */
import type { Cluster, Network } from '../../hardware/cluster/cluster.ts'
import { withHost, withNetworks } from '../../hardware/cluster/scaled-cluster.ts'
import { resourceCount } from '../../hardware/network/collective.ts'
import { type Axis, axes } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { changedCluster } from './elsewhere.ts'
import { byAxis, type Movement } from './movement.ts'
import type { Bound } from './window.ts'

export interface NetworkUse {
  /** A tier of switches, `ici`, `dcn`, or `host` (the link from a chip to its host). */
  readonly name: string
  /** Busy time in a step, as if everything moved over it without a break. */
  readonly seconds: Seconds
  /** Time of the windows that it binds (window.ts). */
  readonly binds: Seconds
  /** The axis that keeps it busy longest; null for the link to the host. */
  readonly axis: Axis | null
}

/** The part that binds windows for longest; where none does, the one that is busy longest. Null if nothing moves. */
export function busiestNetwork(
  network: Network,
  movements: readonly Movement[],
  hostSeconds: Seconds,
  byPart: Bound['byPart'],
): NetworkUse | null {
  const parts = Array.from({ length: resourceCount(network) }, (_, part): NetworkUse => {
    const own = byAxis(movements, ({ busy }) => busy[part] ?? 0)
    const [heaviest = null] = [...axes].sort((a, b) => own[b] - own[a])
    const seconds = movements.reduce((sum, { busy }) => sum + (busy[part] ?? 0), 0)
    return { name: partName(network, part), seconds, binds: byPart[part] ?? 0, axis: heaviest }
  })
  const binds = byPart[parts.length] ?? 0
  const host: NetworkUse = { name: linkToHost, seconds: hostSeconds, binds, axis: null }
  const busiest = [...parts, host].reduce((most, one) => (leansMore(one, most) ? one : most))
  return busiest.seconds > 0 ? busiest : null
}

function leansMore(one: NetworkUse, other: NetworkUse): boolean {
  return one.binds > other.binds || (one.binds === other.binds && one.seconds > other.seconds)
}

/** All names that `busiestNetwork` may return on this machine, whether or not its chips are so many that they use that part. */
export function networkUses(network: Network): readonly string[] {
  const parts = Array.from({ length: resourceCount(network) }, (_, part) => partName(network, part))
  return [...new Set([...parts, linkToHost])]
}

const linkToHost = 'host'

/** How a sentence names such a part. */
export function networkText(name: string): string {
  return name === linkToHost ? 'the link to the host' : `the ${name} network`
}

/** All physical axes of a torus are named `ici`. */
function partName(network: Network, part: number): string {
  if (network.kind === 'switched') return network.tiers[part]?.name ?? 'network'
  return part < network.topology.length ? 'ici' : 'dcn'
}

/** The same machine with half the bandwidth of one network. */
export function withHalf(cluster: Cluster, name: string): Cluster {
  return changedCluster(cluster, `half of ${name}`, () => {
    if (name === linkToHost) return withHost(cluster, 1 / 2)
    return withNetworks(cluster, (other) => (other === name ? 1 / 2 : 1))
  })
}
