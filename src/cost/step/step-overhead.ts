/**
 * What a training step takes beside its work: t + j·log2 u, with t the time of host, data and logging, and j what it waits for
 * the last of twice as many of the u nodes or slices that step together. The same for every plan of a request.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { Seconds } from '../../units.ts'

export function stepOverhead(
  { chips, network }: Cluster,
  { stepOverheadSeconds, stragglerSeconds }: Assumptions,
): Seconds {
  const units = network.kind === 'torus' ? network.slices : chips / (network.tiers[0]?.size ?? chips)
  return stepOverheadSeconds + stragglerSeconds * Math.log2(Math.max(1, units))
}
