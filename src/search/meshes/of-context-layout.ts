/** The meshes that one way to divide a sequence is searched on. */
import type { CostModel } from '../../cost/model.ts'
import { contextLayoutFits, plainContext } from '../../sharding/tables/context-layout.ts'
import { enumerateMeshes, type Meshes } from './meshes.ts'

/** The meshes of a cost model. Layouts of context other than the first are tried only where there is a context axis, and count for themselves. */
export function meshesOf(
  { problem, contextLayout }: CostModel,
  meshes: Meshes = enumerateMeshes(problem),
): Meshes {
  if (contextLayout === plainContext) return meshes
  const allowed = meshes.allowed.filter((mesh) => contextLayoutFits(contextLayout, mesh, problem.model))
  return { total: allowed.length, allowed, constrained: 0, indivisible: 0, unseen: 0 }
}
