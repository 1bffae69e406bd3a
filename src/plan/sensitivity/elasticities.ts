/**
 * What a plan's time owes to each resource of the machine: d log T / d log R, by central differences of one per cent, the plan
 * held. The optimum is no slower than the plan that is held, so that by the envelope theorem this is the derivative of the
 * answer itself wherever the best plan stays the best.
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import {
  networkNames,
  withFlops,
  withHbm,
  withHost,
  withNetworks,
} from '../../hardware/cluster/scaled-cluster.ts'
import type { Seconds } from '../../units.ts'

export interface Elasticities {
  readonly flops: number
  readonly hbmBandwidth: number
  readonly hostBandwidth: number
  /** Of all that is inside a slice or node: `ici` on TPUs, the innermost tier behind switches. */
  readonly iciBandwidth: number
  /** Of all that is between them: `dcn` on TPUs, the other tiers together behind switches. */
  readonly dcnBandwidth: number
  /** Of each by itself, by the name that the machine has for it. */
  readonly networks: Readonly<Record<string, number>>
}

const change = 0.01

export function elasticities(cluster: Cluster, secondsOn: (changed: Cluster) => Seconds): Elasticities {
  const elasticity = (scaled: (factor: number) => Cluster): number => {
    const quotient = secondsOn(scaled(1 + change)) / secondsOn(scaled(1 - change))
    const slope = Math.log(quotient) / Math.log((1 + change) / (1 - change))
    return Object.is(slope, -0) ? 0 : slope
  }
  const network = (part: (name: string, level: number) => boolean) =>
    elasticity((factor) => withNetworks(cluster, (name, level) => (part(name, level) ? factor : 1)))
  return {
    flops: elasticity((factor) => withFlops(cluster, factor)),
    hbmBandwidth: elasticity((factor) => withHbm(cluster, factor)),
    hostBandwidth: elasticity((factor) => withHost(cluster, factor)),
    iciBandwidth: network((_, level) => level === 0),
    dcnBandwidth: network((_, level) => level > 0),
    networks: Object.fromEntries(
      networkNames(cluster).map((one) => [one, network((name) => name === one)] as const),
    ),
  }
}
