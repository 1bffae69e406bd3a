/**
 * The most sequences that fit, and the next fewer that lie evenly over a mesh: over all chips that may share them out, or
 * over replicas and tensor2. A chip with one sequence more than the others is waited for by all of them, so that a few
 * sequences less can make more tokens per second. Largest first.
 */
import { type Mesh, replicasOf } from '../../sharding/axis.ts'

export function evenBatches(mesh: Mesh, most: number): readonly number[] {
  const { tensor, tensor2 } = mesh
  const replicas = replicasOf(mesh)
  const even = [tensor * tensor2, tensor2, 1].map((shards) => most - (most % (replicas * shards)))
  return [...new Set([most, ...even])].filter((count) => count > 0).sort((a, b) => b - a)
}
