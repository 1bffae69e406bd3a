/** Finds axes that the request's constraints pin to sizes that no mesh can have, whatever the sizes of the other axes. */

import type { Constraints } from '../constraint.ts'
import { commonDivisor } from '../hardware/cluster/divisors.ts'
import { type Axis, axes, type Mesh, meshSize, unitMesh } from '../sharding/axis.ts'
import { meshFaults } from './mesh-faults.ts'
import { axesOfPart, type MeshQuestion, type MeshRule } from './mesh-question.ts'
import { axisPointer } from './mesh-ways.ts'
import type { PlanFault, Way } from './part-rule.ts'

/** `open` are the axes that the search may still size; a rule that reads one of them might yet be satisfied. */
export function pinnedFaults(
  rules: readonly MeshRule[],
  question: MeshQuestion,
  constraints: Constraints,
  chips: number,
  open: readonly Axis[],
): readonly PlanFault[] {
  const sizes = axes.flatMap((axis) => {
    const size = constraints[axis]
    return typeof size === 'number' ? [[axis, size] as const] : []
  })
  const pinned: Mesh = { ...unitMesh, ...Object.fromEntries(sizes) }
  // The pinned sizes may not divide the chips. Replicas then fill up to the least common multiple of both, so that
  // neighbouring legal sizes can be found among its divisors.
  const rest = chips / commonDivisor(chips, meshSize(pinned))
  const mesh = constraints.data === undefined ? { ...pinned, data: rest } : pinned
  // Rules that read an open axis are skipped, as another size of it might satisfy them; no size of the remaining axes
  // can satisfy the others.
  const alone = rules.filter(
    ({ reads, broken }) =>
      !reads.flatMap(axesOfPart).some((axis) => open.includes(axis)) && broken({ mesh: pinned, question }),
  )
  return meshFaults(alone, mesh, question).map(inConstraints)
}

/** The same fault with pointers into the constraints. Only the change of the pinned axis itself is kept, as replicas take whatever is left. */
function inConstraints({ pointer, detail, nearest = [] }: PlanFault): PlanFault {
  const own = nearest.map((way): Way => way.filter((change) => change.pointer === pointer).map(moved))
  return { pointer: moved({ pointer }).pointer, detail, nearest: own.filter(({ length }) => length > 0) }
}

function moved<Pointed extends { readonly pointer: string }>(change: Pointed): Pointed {
  const axis = axes.find((name) => axisPointer(name) === change.pointer)
  return axis ? { ...change, pointer: `/constraints/${axis}` } : change
}
