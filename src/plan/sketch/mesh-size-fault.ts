/**
 * A mesh of another number of chips than there are, and the one axis that would make it right: expert is an axis of its own here,
 * which Megatron-LM counts inside of data (its data-parallel size is what tensor, context and pipeline leave), and vLLM inside of
 * tensor and data; axes that are left out are 1, where frameworks take data to be what is left.
 */
import { type Axis, type Mesh, meshSize } from '../../sharding/axis.ts'
import type { PlanFault } from '../plan.ts'

export function meshSizeFault(mesh: Mesh, chips: number, hosts: readonly Axis[]): PlanFault | null {
  const size = meshSize(mesh)
  if (size === chips) return null
  const wrong = `the axes multiply to ${size}, and there are ${chips} chips`
  const found = inside(mesh, size, chips, hosts) ?? scaled(mesh, size, chips)
  if (!found) return { pointer: '/plan/mesh', detail: wrong }
  const { axis, value, says } = found
  return {
    pointer: '/plan/mesh',
    detail: `${wrong}: ${says}`,
    correction: [{ pointer: `/plan/mesh/${axis}`, value }],
  }
}

interface Found {
  readonly axis: Axis
  readonly value: number
  readonly says: string
}

/** The product fits once expert is taken out of another axis. */
function inside(mesh: Mesh, size: number, chips: number, hosts: readonly Axis[]): Found | null {
  const { expert } = mesh
  if (expert === 1 || size !== chips * expert) return null
  const axis = hosts.find((name) => mesh[name] % expert === 0)
  if (!axis) return null
  const value = mesh[axis] / expert
  const says = `expert is an axis of its own, not counted inside of ${axis} as ${axis === 'tensor' ? 'vLLM' : 'Megatron-LM'} has it; ${axis} ${mesh[axis]} with expert ${expert} inside is ${axis} ${value} x expert ${expert}`
  return { axis, value, says }
}

/** The product fits with more or fewer replicas. */
function scaled(mesh: Mesh, size: number, chips: number): Found | null {
  const value = (mesh.data * chips) / size
  if (!Number.isInteger(value)) return null
  return { axis: 'data', value, says: `with data ${value} they would be all; axes that are left out are 1` }
}
