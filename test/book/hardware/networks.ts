/**
 * Networks that a case makes up, with meshes placed on them: each mesh axis has physical axes of its own, which close
 * into rings. Sizes may be any real numbers, as in the book's optima.
 */
import type { Tier } from '../../../src/hardware/chip.ts'
import type { Cluster, SwitchedNetwork, TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import type { Group } from '../../../src/hardware/network/group.ts'
import { type Placement, placements } from '../../../src/hardware/network/placement.ts'
import { type Axis, axes, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import type { BytesPerSecond } from '../../../src/units.ts'
import { inventedChip } from '../chips.ts'

export interface Arrangement {
  readonly network: TorusNetwork | SwitchedNetwork
  readonly mesh: Mesh
  readonly placement: Placement
}

export interface TorusOptions {
  readonly wraps?: boolean
  readonly hopSeconds?: number
  readonly slices?: number
  readonly dcnBytesPerSecondPerChip?: BytesPerSecond
}

/** `linkBytesPerSecond` is one way; the book's W is both ways. */
export function torus(
  topology: readonly number[],
  linkBytesPerSecond: BytesPerSecond,
  { wraps = true, hopSeconds = 0, slices = 1, dcnBytesPerSecondPerChip = 1 }: TorusOptions = {},
): TorusNetwork {
  return {
    kind: 'torus',
    topology,
    wraps: topology.map(() => wraps),
    linkBytesPerSecond,
    hopSeconds,
    slices,
    dcnBytesPerSecondPerChip,
    dcnLatencySeconds: 0,
  }
}

/** Tiers from the innermost: how many units, and what one chip sends through it. The last may be unbounded (null). */
export function switched(
  tiers: readonly (readonly [units: number | null, bytesPerSecondPerChip: BytesPerSecond])[],
  inNetworkReduction = false,
): SwitchedNetwork {
  return {
    kind: 'switched',
    tiers: tiers.map(([size, bytesPerSecondPerChip], level): Tier => {
      return { name: `tier ${level}`, size, bytesPerSecondPerChip, latencySeconds: 0, inNetworkReduction }
    }),
  }
}

export function clusterOf(network: TorusNetwork | SwitchedNetwork, chips: number): Cluster {
  return { chip: inventedChip(1), chips, network }
}

/** An axis of `size` chips over so many equal rings; over `slices`, joined by DCN, where given. */
export interface Ringed {
  readonly size: number
  readonly rings: number
}

export function onRings(
  ringed: Partial<Readonly<Record<Axis, Ringed>>>,
  bothWaysBytesPerSecond: BytesPerSecond,
  acrossSlices: { readonly data: number; readonly dcnBytesPerSecondPerChip: BytesPerSecond } = {
    data: 1,
    dcnBytesPerSecondPerChip: 1,
  },
): Arrangement {
  const topology: number[] = []
  const groups: Partial<Record<Axis, Group>> = {}
  for (const axis of axes) {
    const { size, rings } = ringed[axis] ?? { size: 1, rings: 0 }
    const parts = Array.from({ length: rings }, () => {
      const physical = topology.push(size ** (1 / rings)) - 1
      return { physical, size: size ** (1 / rings), stride: 1 }
    })
    groups[axis] = { kind: 'torus', parts, slices: axis === 'data' ? acrossSlices.data : 1 }
  }
  const { data: slices, dcnBytesPerSecondPerChip } = acrossSlices
  const sizes = Object.fromEntries(Object.entries(ringed).map(([axis, { size }]) => [axis, size]))
  return {
    network: torus(topology, bothWaysBytesPerSecond / 2, { slices, dcnBytesPerSecondPerChip }),
    mesh: { ...unitMesh, ...sizes, ...(slices > 1 ? { data: slices } : {}) },
    placement: { groups: groups as Record<Axis, Group> },
  }
}

/** The same chips in rows: nothing closes. */
export function withoutRings(network: Arrangement['network']): Arrangement['network'] {
  return network.kind === 'torus' ? { ...network, wraps: network.wraps.map(() => false) } : network
}

/** Ranks in the order tensor, pipeline, fsdp, data: model parallelism inside, as the book's GPU chapter has it. */
export function onSwitches(network: SwitchedNetwork, sizes: Partial<Mesh>): Arrangement {
  const mesh = { ...unitMesh, ...sizes }
  const placement = placements(network, mesh).at(-1)
  if (!placement) throw new RangeError('A switched network places every mesh')
  return { network, mesh, placement }
}
