/**
 * What a training step takes beside its work: t + j·log2 u. t is the time of host, data and logging; j is how much longer the step
 * waits for the slowest when twice as many of the u nodes or slices step together. It is the same for every plan of a request.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { type Cluster, fullUnit } from '../../hardware/cluster/cluster.ts'
import type { Seconds } from '../../units.ts'

export function stepOverhead(
  { chips, network }: Cluster,
  { stepOverheadSeconds, stragglerSeconds }: Assumptions,
): Seconds {
  const units = network.kind === 'torus' ? network.slices : chips / fullUnit(network, chips)
  return stepOverheadSeconds + stragglerSeconds * Math.log2(Math.max(1, units))
}
