/** What a request pins to sizes that no mesh may have, whatever its other axes are: faults of its constraints. */

import { commonDivisor } from '../hardware/cluster/divisors.ts'
import type { Constraints } from '../problem.ts'
import { type Axis, axes, type Mesh, meshSize, unitMesh } from '../sharding/axis.ts'
import { meshFaults } from './mesh-faults.ts'
import { axisPointer } from './mesh-ways.ts'
import type { MeshQuestion, MeshRule } from './model.ts'
import type { PlanFault, Way } from './part-rule.ts'

/** `open` are axes that are searched, and another size of which may be what a rule wants. */
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
  // What is pinned may not divide the chips; sizes next to it that do are found among those of the least number that both divide.
  const rest = chips / commonDivisor(chips, meshSize(pinned))
  const mesh = constraints.data === undefined ? { ...pinned, data: rest } : pinned
  // More replicas, stages or positions mend nothing; another size of an axis that is searched might.
  const alone = rules.filter(
    ({ reads, broken }) => !reads.some((axis) => open.includes(axis)) && broken({ mesh: pinned, question }),
  )
  return meshFaults(alone, mesh, question).map(inConstraints)
}

/** Replicas are whatever is left. */
function inConstraints({ pointer, detail, nearest = [] }: PlanFault): PlanFault {
  const own = nearest.map((way): Way => way.filter((change) => change.pointer === pointer).map(moved))
  return { pointer: moved({ pointer }).pointer, detail, nearest: own.filter(({ length }) => length > 0) }
}

function moved<Pointed extends { readonly pointer: string }>(change: Pointed): Pointed {
  const axis = axes.find((name) => axisPointer(name) === change.pointer)
  return axis ? { ...change, pointer: `/constraints/${axis}` } : change
}
