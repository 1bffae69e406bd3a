/** What is wrong with a mesh that somebody wrote, and its legal neighbours: the next smaller and the next larger size of the axis at fault. */
import { axes, type Mesh } from '../sharding/axis.ts'
import { axisPointer, meshAfter } from './mesh-ways.ts'
import type { MeshQuestion, MeshRule } from './model.ts'
import { allChips, type ExpertHost } from './network.ts'
import { nextTo, type PlanFault, partFaults, type Way } from './part-rule.ts'
import { keeps } from './rule.ts'

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

/** Of a mesh of another number of chips than there are: what was clearly meant, whatever else is wrong with it, or what is legal. */
export function sizeFaults(
  rules: readonly MeshRule[],
  mesh: Mesh,
  question: MeshQuestion,
  chips: number,
  hosts: readonly ExpertHost[],
): readonly PlanFault[] {
  const read = { mesh, chips, hosts }
  const only = allChips.nearest?.(read).length === 1
  return partFaults([allChips], read, (way) => only || keeps(rules, { mesh: meshAfter(mesh, way), question }))
}
