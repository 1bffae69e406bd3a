/** Warns of tensor parallelism beyond the links of a unit (a node, an NVLink domain): what it sends in each layer goes over the network behind. */
import type { Problem } from '../../problem.ts'
import { matrixAxes } from '../../sharding/axis.ts'
import type { Plan } from '../plan.ts'

/** Null where a unit has all chips of a group, or where there is no unit. */
export function beyondLinks(
  { cluster: { network } }: Pick<Problem, 'cluster'>,
  { mesh, placement }: Pick<Plan, 'mesh' | 'placement'>,
): string | null {
  if (network.kind !== 'switched') return null
  const [unit] = network.tiers
  const leaving = placement.find(
    ({ axis, physical }) => matrixAxes.includes(axis) && physical.some((tier) => tier > 0),
  )
  if (!unit || !leaving || unit.size === null || unit.size < 2) return null
  const ranks = matrixAxes.reduce((product, axis) => product * mesh[axis], 1)
  return `tensor ${ranks} leaves the ${unit.size} chips that ${unit.name} joins: in each layer its groups send over ${leaving.on} as well, on whose links it is seldom run`
}
