/**
 * Batches to try on a mesh: the most sequences that fit, and the next lower numbers that divide evenly over all chips
 * that may share them, over replicas and tensor2, and over replicas. With an uneven batch all chips wait for those with
 * one sequence more, so that a slightly smaller batch can make more tokens per second. Largest first.
 */
import { type Mesh, replicasOf } from '../../sharding/axis.ts'

export function evenBatches(mesh: Mesh, most: number): readonly number[] {
  const { tensor, tensor2 } = mesh
  const replicas = replicasOf(mesh)
  const even = [tensor * tensor2, tensor2, 1].map((shards) => most - (most % (replicas * shards)))
  return [...new Set([most, ...even])].filter((count) => count > 0).sort((a, b) => b - a)
}
