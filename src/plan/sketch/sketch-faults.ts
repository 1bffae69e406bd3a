/** Finds what is illegal in a written training plan, with pointers into the request, by the same rules as the search. */
import { compact } from '../../compact.ts'
import { placements } from '../../hardware/network/placement.ts'
import type { PlanSketch } from '../../plan-sketch.ts'
import type { Problem } from '../../problem.ts'
import { layoutFaults } from '../../rules/layout-faults.ts'
import { writtenMeshFaults } from '../../rules/mesh-faults.ts'
import { trainedMeshRules } from '../../rules/model.ts'
import { type ExpertHost, placeable } from '../../rules/network.ts'
import { type PlanFault, partFaults } from '../../rules/part-rule.ts'
import { trainedQuestion } from '../../search/meshes/meshes.ts'
import { sketchedPlacements } from './sketched-placement.ts'

const hosts: readonly ExpertHost[] = [
  { axis: 'data', framework: 'Megatron-LM' },
  { axis: 'fsdp', framework: 'Megatron-LM' },
]

/** Faults of the mesh come alone, because nothing else can be judged on an illegal mesh. */
export function sketchFaults(problem: Problem, sketch: PlanSketch): readonly PlanFault[] {
  const { chips, network } = problem.cluster
  const { mesh } = sketch
  const question = trainedQuestion(problem)
  const illegal = writtenMeshFaults(trainedMeshRules, mesh, question, chips, hosts)
  if (illegal.length > 0) return illegal
  const places = placements(network, mesh).length
  return compact(
    partFaults([placeable], { network, places }),
    places > 0 && sketchedPlacements(problem, sketch).faults,
    layoutFaults(problem, sketch),
  )
}
