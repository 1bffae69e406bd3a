/**
 * The hardware of a request with more chips, and what of the request to change for it: its number of chips; or of a topology
 * the topology, as the squarest slice with so many chips, or how many slices there are. All else stays as asked.
 */
import { printed, volume } from '../../hardware/cluster/box.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { resolveCluster } from '../../hardware/cluster/resolve.ts'
import { squarestSlice } from '../../hardware/cluster/slice.ts'
import type { HardwareAsked, Setting } from '../../problem.ts'

export interface LargerHardware {
  readonly cluster: Cluster
  readonly pointer: string
  readonly value: unknown
  /** Nothing where chips are behind switches. */
  readonly shape: string
}

/** Null where the chip does not come in so many. */
export function largerHardware(
  setting: Pick<Setting, 'cluster' | 'asked'>,
  chips: number,
): LargerHardware | null {
  for (const change of changes(setting, chips)) {
    const { chip } = setting.cluster
    const twice = setting.asked.chips === undefined ? {} : { chips }
    const resolution = resolveCluster({ chip, ...setting.asked, ...twice, ...change })
    if (!('cluster' in resolution)) continue
    const { cluster } = resolution
    return { cluster, ...written(setting.asked, change, chips), shape: shapeOf(cluster) }
  }
  return null
}

/** Of a topology, larger slices come before more of them. */
function changes(
  { cluster, asked }: Pick<Setting, 'cluster' | 'asked'>,
  chips: number,
): readonly HardwareAsked[] {
  const { topology, slices = 1 } = asked
  const { system } = cluster.chip
  if (!topology || system.kind !== 'torus') return [{ chips }]
  const larger = squarestSlice(system, chips / slices)
  return [...(larger ? [{ topology: larger }] : []), { slices: chips / volume(topology) }]
}

function written(
  asked: HardwareAsked,
  change: HardwareAsked,
  chips: number,
): Pick<LargerHardware, 'pointer' | 'value'> {
  const twice = asked.topology !== undefined && asked.chips !== undefined
  // Both members change: the API puts the value into the hardware as asked.
  if (twice) return { pointer: '/hardware', value: { ...change, chips } }
  const [[member, value] = ['chips', chips]] = Object.entries(change)
  return { pointer: `/hardware/${member}`, value }
}

function shapeOf({ network }: Cluster): string {
  if (network.kind !== 'torus') return ''
  const slices = network.slices > 1 ? `${network.slices} slices of ` : ''
  return `, as ${slices}${printed(network.topology)}`
}
