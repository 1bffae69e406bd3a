/**
 * The hardware of a request with more chips, and the change to the request that yields it: the number of chips, or for
 * a topology either a larger one (the squarest slice of so many chips) or more slices. Everything else stays as
 * requested, but for a constraint on the number of chips, which then is that of all of them.
 */
import { compact } from '../../compact.ts'
import { satisfies } from '../../constraint.ts'
import { printedSlices, volume } from '../../hardware/cluster/box.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { resolveCluster } from '../../hardware/cluster/resolve.ts'
import { squarestSlice } from '../../hardware/cluster/slice.ts'
import type { AskedSetting, HardwareAsked } from '../../problem.ts'
import type { Change } from '../../rules/part-rule.ts'

/** What a request says of its chips. */
export type SizedSetting = Pick<AskedSetting, 'cluster' | 'asked' | 'constraints'>

export interface LargerHardware {
  readonly cluster: Cluster
  readonly pointer: string
  readonly value: unknown
  /** Words for the torus, e.g. `, as 4x4x8`; empty behind switches. */
  readonly shape: string
  /** What changes with it. */
  readonly also: readonly Change[]
}

/** Null if the chip is not available in that number. */
export function largerHardware(setting: SizedSetting, chips: number): LargerHardware | null {
  const own = setting.constraints.chips
  const also = satisfies(chips, own) ? [] : [{ pointer: '/constraints/chips', value: chips }]
  for (const change of changes(setting, chips)) {
    const { chip } = setting.cluster
    const twice = setting.asked.chips === undefined ? {} : { chips }
    const resolution = resolveCluster({ chip, ...setting.asked, ...twice, ...change })
    if (!('cluster' in resolution)) continue
    const { cluster } = resolution
    return { cluster, ...written(setting.asked, change, chips), shape: shapeOf(cluster), also }
  }
  return null
}

/** For a topology, a larger slice is tried before more slices. */
function changes(
  { cluster, asked }: Pick<AskedSetting, 'cluster' | 'asked'>,
  chips: number,
): readonly HardwareAsked[] {
  const { topology, slices = 1 } = asked
  const { system } = cluster.chip
  if (!topology || system.kind !== 'torus') return [{ chips }]
  const larger = squarestSlice(system, chips / slices)
  return compact(larger && { topology: larger }, { slices: chips / volume(topology) })
}

function written(
  asked: HardwareAsked,
  change: HardwareAsked,
  chips: number,
): Pick<LargerHardware, 'pointer' | 'value'> {
  const twice = asked.topology !== undefined && asked.chips !== undefined
  // If the request gives both a topology and a number of chips, both change: the API merges the value into the
  // requested hardware.
  if (twice) return { pointer: '/hardware', value: { ...change, chips } }
  const [[member, value] = ['chips', chips]] = Object.entries(change)
  return { pointer: `/hardware/${member}`, value }
}

function shapeOf({ network }: Cluster): string {
  if (network.kind !== 'torus') return ''
  return `, as ${printedSlices(network.slices, network.topology)}`
}
