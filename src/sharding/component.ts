/**
 * A component of a Transformer as a table: its arrays, each with the sharding that the layout declares for it,
 * and the einsums over them in forward order. Everything else is derived (derive.ts).
 */

import { known } from '../known.ts'
import { axesOfArray, type ShardedArray, without } from './array.ts'
import { type Axis, type AxisSet, axisSet } from './axis.ts'
import type { ArrayRole } from './roles.ts'

/**
 * `matmul` runs on the matrix unit, `attention` in the fused kernel, a `scan` in those of a recurrence; `elementwise` and `lookup` cost no FLOPs. `reshard`
 * is no product: its result is the left operand in another sharding. `route` copies tokens to the experts that they visit,
 * and weighs what comes back: no matmul, and the router's own gradient is left out.
 */
export type EinsumKind = 'matmul' | 'attention' | 'scan' | 'elementwise' | 'lookup' | 'reshard' | 'route'

export interface Einsum {
  readonly out: string
  readonly left: string
  readonly right: string
  readonly kind: EinsumKind
  /** The right operand is keys or values: its positions T are this einsum's S. */
  readonly keys?: boolean
  /** The left operand may be a partial sum: what is made of it is one over the same axes, and it is reduced only then. */
  readonly ofPartial?: boolean
  /** The array of what it makes, before an activation function that is no einsum: the function costs no FLOPs. */
  readonly before?: string
}

export interface Component {
  readonly name: string
  readonly arrays: Readonly<Record<string, ShardedArray>>
  readonly einsums: readonly Einsum[]
}

export function arrayOf(component: Component, name: string): ShardedArray {
  const array = component.arrays[name]
  if (!array) throw new RangeError(`${component.name} has no array ${name}`)
  return array
}

/** Arrays of a role that exist while the component runs, without weights and what is on its way to experts. */
export function arraysOf({ arrays }: Component, role: ArrayRole): readonly ShardedArray[] {
  return Object.values(arrays).filter(
    (array) => array.role === role && (array.kind === 'activation' || array.kind === 'passed'),
  )
}

/** The first array of a role. */
export function arrayOfRole(component: Component, role: ArrayRole): ShardedArray {
  const [array] = arraysOf(component, role)
  if (!array) throw new RangeError(`${component.name} has no ${role}`)
  return array
}

export function weightsOf(component: Component): readonly ShardedArray[] {
  return Object.values(component.arrays).filter((array) => array.kind === 'weight')
}

/** The component on a mesh where only `active` axes are larger than 1. It is made once, and so is what is derived of it. */
export function restricted(component: Component, active: readonly Axis[]): Component {
  const own = known(restrictions, component, () => new Map())
  return known(own, axisSet(active), () => withAxes(component, active))
}

const restrictions = new WeakMap<Component, Map<AxisSet, Component>>()

function withAxes(component: Component, active: readonly Axis[]): Component {
  return withArrays(component, (array) =>
    without(
      array,
      axesOfArray(array).filter((axis) => !active.includes(axis)),
    ),
  )
}

/** The component with each of its arrays changed. */
export function withArrays(component: Component, changed: (array: ShardedArray) => ShardedArray): Component {
  const arrays = Object.entries(component.arrays).map(([name, array]) => [name, changed(array)] as const)
  return { ...component, arrays: Object.fromEntries(arrays) }
}

/** Components that run beside each other, as one: arrays that they share are the same in all of them. */
export function besideEachOther(name: string, parts: readonly Component[]): Component {
  return {
    name,
    arrays: Object.assign({}, ...parts.map(({ arrays }) => arrays)),
    einsums: parts.flatMap(({ einsums }) => einsums),
  }
}
