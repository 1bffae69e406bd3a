/** Finds what is wrong with a mesh that somebody wrote, with its legal neighbours: the next smaller and the next larger size of the axis at fault. */
import { axes, type Mesh } from '../sharding/axis.ts'
import type { MeshQuestion, MeshRule } from './mesh-question.ts'
import { axisPointer, meshAfter } from './mesh-ways.ts'
import { allChips, type ExpertHost } from './network.ts'
import { nextTo, type PlanFault, partFaults, type Way } from './part-rule.ts'
import { keeps } from './rule.ts'

/** A mesh that somebody wrote for so many chips: faults of its size come alone, as nothing else can be judged then. */
export function writtenMeshFaults(
  rules: readonly MeshRule[],
  mesh: Mesh,
  question: MeshQuestion,
  chips: number,
  hosts: readonly ExpertHost[],
): readonly PlanFault[] {
  const size = sizeFaults(rules, mesh, question, chips, hosts)
  return size.length > 0 ? size : meshFaults(rules, mesh, question)
}

export function meshFaults(
  rules: readonly MeshRule[],
  mesh: Mesh,
  question: MeshQuestion,
): readonly PlanFault[] {
  const isLegal = (way: Way) => keeps(rules, { mesh: meshAfter(mesh, way), question })
  return partFaults(rules, { mesh, question }, isLegal).map((fault) => {
    const axis = axes.find((name) => axisPointer(name) === fault.pointer)
    return nextTo(fault, axis && mesh[axis])
  })
}

/**
 * The fault of a mesh that does not multiply to the chips there are. A single fix is what was clearly meant, and is
 * offered even if it breaks other rules; of several only legal ones are offered.
 */
function sizeFaults(
  rules: readonly MeshRule[],
  mesh: Mesh,
  question: MeshQuestion,
  chips: number,
  hosts: readonly ExpertHost[],
): readonly PlanFault[] {
  const read = { mesh, chips, hosts }
  const ways = allChips.nearest?.(read) ?? []
  const only = ways.length === 1 && ways[0]?.length === 1
  const isLegal = (way: Way) => only || keeps(rules, { mesh: meshAfter(mesh, way), question })
  return partFaults([{ ...allChips, nearest: () => ways }], read, isLegal).map(
    ({ nearest = [], ...fault }) => {
      const near = nearest.filter((way, at) => way.length === 1 || at < nearestTold)
      return near.length > 0 ? { ...fault, nearest: near } : fault
    },
  )
}

/** At most so many ways are told that resize several axes. */
const nearestTold = 2
