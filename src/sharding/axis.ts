/**
 * The mesh axes, always all seven, in the order of the contract. An axis of size 1 shards nothing.
 *
 *   data      replicas of everything                fsdp     shards states (ZeRO-3) and the batch
 *   tensor    shards heads, F and the vocabulary    tensor2  shards D (2D weight-stationary)
 *   context   shards the sequence                   expert   shards the experts
 *   pipeline  shards the layers
 */
export const axes = ['data', 'fsdp', 'tensor', 'tensor2', 'context', 'expert', 'pipeline'] as const

export type Axis = (typeof axes)[number]

export type Mesh = Readonly<Record<Axis, number>>

/** A set of axes as bits, so that products over any subset can be looked up. */
export type AxisSet = number

export const axisBit: Readonly<Record<Axis, AxisSet>> = {
  data: 1,
  fsdp: 2,
  tensor: 4,
  tensor2: 8,
  context: 16,
  expert: 32,
  pipeline: 64,
}

export const axisSets = 1 << axes.length

export function axisSet(members: readonly Axis[]): AxisSet {
  return members.reduce((set, axis) => set | axisBit[axis], 0)
}

export function axesOf(set: AxisSet): readonly Axis[] {
  return axes.filter((axis) => set & axisBit[axis])
}

export function meshSize(mesh: Mesh): number {
  return axes.reduce((product, axis) => product * mesh[axis], 1)
}

/** How many chips' worth of sequences there are: all that is not an expert takes the expert axis for one more of data. */
export function replicasOf(mesh: Mesh): number {
  return mesh.data * mesh.fsdp * mesh.expert
}

export const unitMesh: Mesh = { data: 1, fsdp: 1, tensor: 1, tensor2: 1, context: 1, expert: 1, pipeline: 1 }
