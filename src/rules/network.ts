/**
 * What the chips and the network forbid of a mesh. Expert is an axis of its own here, which Megatron-LM counts inside of data (its
 * data-parallel size is what tensor, context and pipeline leave), and vLLM inside of tensor and data; axes that are left out are 1, where
 * frameworks take data to be what is left.
 */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { type Axis, axes, type Mesh, meshSize } from '../sharding/axis.ts'
import { axisPointer } from './mesh-ways.ts'
import type { PartRule, Way } from './part-rule.ts'

export interface ChipsRead {
  readonly mesh: Mesh
  readonly chips: number
  /** Axes that frameworks count experts inside of, and which does. */
  readonly hosts: readonly ExpertHost[]
}

export interface ExpertHost {
  readonly axis: Axis
  readonly framework: string
}

/** A mesh of another number of chips than there are, and the one axis that would make it right. */
export const allChips: PartRule<ChipsRead, Axis> = {
  reads: axes,
  broken: ({ mesh, chips }) => meshSize(mesh) !== chips,
  says: (read) => {
    const wrong = `the axes multiply to ${meshSize(read.mesh)}, and there are ${read.chips} chips`
    const found = inside(read) ?? scaled(read)
    return found ? `${wrong}: ${found.says}` : wrong
  },
  pointer: '/plan/mesh',
  nearest: (read) => {
    const found = inside(read) ?? scaled(read)
    return found ? [[found.change]] : oneAxis(read)
  },
}

export interface PlacesRead {
  readonly network: Cluster['network']
  /** Ways to lay the mesh on it. */
  readonly places: number
}

export const placeable: PartRule<PlacesRead, Axis> = {
  reads: axes,
  broken: ({ places }) => places === 0,
  says: ({ network }) => {
    const on = network.kind === 'torus' ? `the ${network.topology.join('x')} torus` : 'the network'
    return `the axes cannot be laid on ${on}`
  },
  pointer: '/plan/mesh',
}

interface Found {
  readonly change: Way[number]
  readonly says: string
}

/** The product fits once expert is taken out of another axis. */
function inside({ mesh, chips, hosts }: ChipsRead): Found | null {
  const { expert } = mesh
  if (expert === 1 || meshSize(mesh) !== chips * expert) return null
  const host = hosts.find(({ axis }) => mesh[axis] % expert === 0)
  if (!host) return null
  const { axis, framework } = host
  const value = mesh[axis] / expert
  const says = `expert is an axis of its own, not counted inside of ${axis} as ${framework} has it; ${axis} ${mesh[axis]} with expert ${expert} inside is ${axis} ${value} x expert ${expert}`
  return { change: { pointer: axisPointer(axis), value }, says }
}

/** The product fits with more or fewer replicas. */
function scaled({ mesh, chips }: ChipsRead): Found | null {
  const value = (mesh.data * chips) / meshSize(mesh)
  if (!Number.isInteger(value)) return null
  const says = `with data ${value} they would be all; axes that are left out are 1`
  return { change: { pointer: axisPointer('data'), value }, says }
}

/** Each of one axis alone. */
function oneAxis({ mesh, chips }: ChipsRead): readonly Way[] {
  return axes.flatMap((axis) => {
    const size = chips / (meshSize(mesh) / mesh[axis])
    return Number.isInteger(size) ? [[{ pointer: axisPointer(axis), value: size }]] : []
  })
}
