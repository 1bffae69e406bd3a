/** Layouts of a mesh that may be listed, as far as the request and frameworks say so before they are cut into stages. */
import type { Schedule } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { AcceptsLayout, OpenLayout } from './candidate.ts'
import {
  choiceAllowed,
  type Microbatching,
  microbatchChoices,
  scheduleChoices,
  zeroChoices,
} from './choices.ts'
import type { Workbench } from './consider.ts'

/** Whether a mesh may be listed and, where they are asked, any of its layouts, of which most meshes that frameworks run have one among the first. */
export function mayList(
  { model, accepts }: Workbench,
  mesh: Mesh,
  asked: { readonly layouts: boolean },
): boolean {
  if (!accepts) return true
  const accepted = accepts.mesh(mesh)
  if (!accepted || !asked.layouts) return accepted !== null
  const { problem } = model
  const stages = zeroChoices(mesh, problem)
  for (const microbatching of microbatchChoices(mesh, problem)) {
    for (const schedule of scheduleChoices(mesh, problem, microbatching.microbatches)) {
      for (const zeroStage of stages) {
        if (openLayout({ model, mesh, accepted }, microbatching, schedule, zeroStage)) return true
      }
    }
  }
  return false
}

/** What may be listed of the layouts of a mesh; null where all may. */
interface OpenMesh extends Pick<Workbench, 'model'> {
  readonly mesh: Mesh
  readonly accepted: AcceptsLayout | null
}

/** One layout for each ZeRO stage that the request allows and, where it is asked, that some framework runs. */
export function openLayouts(
  where: OpenMesh,
  microbatching: Microbatching,
  schedule: Schedule,
  zeroStages: readonly ZeroStage[],
): readonly OpenLayout[] {
  const open: OpenLayout[] = []
  for (const zeroStage of zeroStages) {
    const layout = openLayout(where, microbatching, schedule, zeroStage)
    if (layout) open.push(layout)
  }
  return open
}

function openLayout(
  { model, mesh, accepted }: OpenMesh,
  { microbatches, sequences }: Microbatching,
  schedule: Schedule,
  zeroStage: ZeroStage,
): OpenLayout | null {
  const { contextLayout, problem } = model
  const { cluster } = problem
  if (!choiceAllowed(problem.constraints, zeroStage, microbatches, schedule)) return null
  const layout: OpenLayout = { cluster, mesh, zeroStage, contextLayout, microbatches, sequences, schedule }
  return !accepted || accepted(layout) ? layout : null
}
