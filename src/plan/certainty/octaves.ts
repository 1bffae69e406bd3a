/** How far apart two ways to divide a model are: the doublings of tensor, context, expert and pipeline between them. Replicas do not divide it. */
import type { Mesh } from '../../sharding/axis.ts'

/** How a mesh divides the model; tensor and tensor2 count as one. */
export function cutsOf({ tensor, tensor2, context, expert, pipeline }: Mesh) {
  return { tensor: tensor * tensor2, context, expert, pipeline }
}

export type CutAxis = keyof ReturnType<typeof cutsOf>

export const cutAxes: readonly CutAxis[] = ['tensor', 'context', 'expert', 'pipeline']

export function octavesBetween(one: Mesh, other: Mesh): number {
  const [own, theirs] = [cutsOf(one), cutsOf(other)]
  return cutAxes.reduce((sum, axis) => sum + Math.abs(Math.log2(own[axis] / theirs[axis])), 0)
}
