/**
 * Rules for a mesh that follow from the chips and the network. Expert is an axis of its own here. Megatron-LM counts it
 * inside of data (whose size is what tensor, context and pipeline leave), vLLM inside of tensor and data. An axis that
 * is left out is 1, whereas frameworks take data to be what is left.
 */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { type Axis, axes, type Mesh, meshSize } from '../sharding/axis.ts'
import { axisPointer, resizedTogether } from './mesh-ways.ts'
import type { PartRule, Way } from './part-rule.ts'

export interface ChipsRead {
  readonly mesh: Mesh
  readonly chips: number
  /** Axes inside of which some framework counts experts, and that framework. */
  readonly hosts: readonly ExpertHost[]
}

export interface ExpertHost {
  readonly axis: Axis
  readonly framework: string
}

/** The mesh has to use exactly the chips there are; the fix resizes one axis, or as few as will do. */
export const allChips: PartRule<ChipsRead, Axis> = {
  reads: axes,
  broken: ({ mesh, chips }) => meshSize(mesh) !== chips,
  says: (read) => {
    const wrong = `the product of the axes is ${meshSize(read.mesh)}, but there are ${read.chips} chips`
    const found = inside(read) ?? scaled(read)
    return found ? `${wrong}: ${found.says}` : wrong
  },
  pointer: '/plan/mesh',
  nearest: (read) => {
    const found = inside(read) ?? scaled(read)
    if (found) return [[found.change]]
    const one = oneAxis(read)
    return one.length > 0 ? one : resizedTogether(read.mesh, read.chips)
  },
}

export interface PlacesRead {
  readonly network: Cluster['network']
  /** The number of ways to lay the mesh on the network. */
  readonly places: number
}

export const placeable: PartRule<PlacesRead, Axis> = {
  reads: axes,
  broken: ({ places }) => places === 0,
  says: ({ network }) => {
    const slices = network.kind === 'torus' ? network.slices : 1
    return `${slices} slices are joined by data, fsdp and pipeline alone, whose sizes have no factors that multiply to ${slices}`
  },
  pointer: '/plan/mesh',
}

interface Found {
  readonly change: Way[number]
  readonly says: string
}

/** The fix if the product is right once expert is divided out of another axis. */
function inside({ mesh, chips, hosts }: ChipsRead): Found | null {
  const { expert } = mesh
  if (expert === 1 || meshSize(mesh) !== chips * expert) return null
  const host = hosts.find(({ axis }) => mesh[axis] % expert === 0)
  if (!host) return null
  const { axis, framework } = host
  const value = mesh[axis] / expert
  const says = `expert is an axis of its own here, not a part of ${axis} as in ${framework}: ${axis} ${mesh[axis]} with expert ${expert} inside is ${axis} ${value} x expert ${expert}`
  return { change: { pointer: axisPointer(axis), value }, says }
}

/** The fix if the product is right with more or fewer replicas. */
function scaled({ mesh, chips }: ChipsRead): Found | null {
  const value = (mesh.data * chips) / meshSize(mesh)
  if (!Number.isInteger(value)) return null
  const says = `data ${value} would use all of them (axes that are left out are 1)`
  return { change: { pointer: axisPointer('data'), value }, says }
}

/** Fixes that each resize a single axis. */
function oneAxis({ mesh, chips }: ChipsRead): readonly Way[] {
  return axes.flatMap((axis) => {
    const size = chips / (meshSize(mesh) / mesh[axis])
    return Number.isInteger(size) ? [[{ pointer: axisPointer(axis), value: size }]] : []
  })
}
