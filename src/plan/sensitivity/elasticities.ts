/**
 * How a plan's time depends on each resource R of the machine: d log T / d log R, by central differences of 1 %, with
 * the plan kept. By the envelope theorem this is also the derivative of the optimum, wherever the best plan stays the
 * best.
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

export type Elasticities = Readonly<ReturnType<typeof elasticities>>

const change = 0.01

export function elasticities(cluster: Cluster, secondsOn: (changed: Cluster) => Seconds) {
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
    // Inside a slice or node: `ici` on TPUs, the innermost tier behind switches.
    iciBandwidth: network((_, level) => level === 0),
    // Between them: `dcn` on TPUs, all other tiers together behind switches.
    dcnBandwidth: network((_, level) => level > 0),
    networks: Object.fromEntries(
      networkNames(cluster).map((one) => [one, network((name) => name === one)] as const),
    ),
  }
}
