/** One object for each mesh, so that what is kept of it is found again when a later request, or another part of the chips, asks for it. */
import { known } from '../../known.ts'
import { lastingFrom } from '../../recent.ts'
import { beyondAnyAxis, type Mesh } from '../../sharding/axis.ts'

/** A search that some framework can run lists some thousand meshes; beyond these it begins anew. */
const mostMeshes = 20_000

type Meshes = Map<number, Mesh>

const lists = lastingFrom(() => ({ count: 0, meshes: new Map<number, Map<number, Map<number, Meshes>>>() }))

/** The mesh of the same sizes that was made before, or this one. */
export function sameMesh(mesh: Mesh): Mesh {
  const { data, fsdp, tensor, tensor2, context, expert, pipeline } = mesh
  const all = lists()
  if (all.count >= mostMeshes) {
    all.meshes.clear()
    all.count = 0
  }
  const ofTensors = known(all.meshes, tensor * beyondAnyAxis + tensor2, () => new Map())
  const ofInner = known(ofTensors, context * beyondAnyAxis + expert, () => new Map())
  const ofReplica: Meshes = known(ofInner, pipeline, () => new Map())
  return known(ofReplica, fsdp * beyondAnyAxis + data, () => {
    all.count++
    return mesh
  })
}
