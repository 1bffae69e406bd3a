/**
 * The mesh axes, a row each: always all seven, in the order of the contract. An axis of size 1 shards nothing.
 *
 *   data      replicas of everything                fsdp     shards states (ZeRO-3) and the batch
 *   tensor    shards heads, F and the vocabulary    tensor2  shards D (2D weight-stationary)
 *   context   shards the sequence                   expert   shards the experts
 *   pipeline  shards the layers
 */
interface AxisRow {
  readonly name: string
  /** What its chips share out, or hold copies of. */
  readonly says: string
  /** The axis in the notation of shardings. */
  readonly letter: string
  /** Whether its chips have sequences of their own. */
  readonly sequences: boolean
  /** Whether its chips have whole copies of all that is not expert weights, unless states are sharded. */
  readonly replicates: boolean
  /** Whether ZeRO-3 shards weights over it. */
  readonly shardsWeights: boolean
  /** Whether it may cross from one slice of a torus to another. */
  readonly crossesSlices: boolean
  /** Whether its chips have positions of their own of a sequence. */
  readonly positions: boolean
  /** Whether it cuts up the matrices of a layer, so that each layer waits for what moves over it. */
  readonly cutsMatrices: boolean
  /** Whether it takes the chips that other axes leave: for replicas, or for shards of their states. */
  readonly takesRest: boolean
  /** Whether what moves over it and other axes together is counted as its own: so it is for the axis of sharded weights. */
  readonly countsFirst: boolean
}

const model = {
  ...{ sequences: false, replicates: false, shardsWeights: false, crossesSlices: false },
  ...{ positions: false, cutsMatrices: false, takesRest: false, countsFirst: false },
} as const

const replica = { ...model, sequences: true, replicates: true, crossesSlices: true, takesRest: true } as const

export const axisRows = [
  { ...replica, name: 'data', letter: 'R', says: 'whole replicas, each with sequences of its own' },
  {
    ...replica,
    name: 'fsdp',
    letter: 'X',
    says: 'replicas that share out weights, gradients and optimizer states (ZeRO-3)',
    shardsWeights: true,
    countsFirst: true,
  },
  {
    ...model,
    name: 'tensor',
    letter: 'Y',
    says: 'heads, the inner dimension F and the vocabulary',
    cutsMatrices: true,
  },
  {
    ...model,
    name: 'tensor2',
    letter: 'Z',
    says: 'the model dimension D (2D weight-stationary)',
    cutsMatrices: true,
  },
  {
    ...model,
    name: 'context',
    letter: 'C',
    says: 'the positions of a sequence',
    replicates: true,
    shardsWeights: true,
    positions: true,
  },
  {
    ...model,
    name: 'expert',
    letter: 'E',
    says: 'the experts of a layer; to all else more replicas',
    sequences: true,
    replicates: true,
    shardsWeights: true,
  },
  { ...model, name: 'pipeline', letter: 'P', says: 'the layers, in stages', crossesSlices: true },
] as const satisfies readonly AxisRow[]

export type Axis = (typeof axisRows)[number]['name']

const rows: readonly (AxisRow & { readonly name: Axis })[] = axisRows

const axesWith = (has: (row: AxisRow) => boolean): readonly Axis[] => rows.filter(has).map(({ name }) => name)

export const axes: readonly Axis[] = axesWith(() => true)

export const axesOfReplicas = axesWith(({ sequences }) => sequences)
export const replicatingAxes = axesWith(({ replicates }) => replicates)
export const weightShardingAxes = axesWith(({ shardsWeights }) => shardsWeights)
export const axesAcrossSlices = axesWith(({ crossesSlices }) => crossesSlices)
export const axesOfPositions = axesWith(({ positions }) => positions)
export const matrixAxes = axesWith(({ cutsMatrices }) => cutsMatrices)
export const restAxes = axesWith(({ takesRest }) => takesRest)

/** Axes in the order in which one of several is charged with what moves over all of them. */
export const axesByPrecedence: readonly Axis[] = [
  ...axesWith(({ countsFirst }) => countsFirst),
  ...axesWith(({ countsFirst }) => !countsFirst),
]

/** Makes a record with a value for each axis. */
export function perAxis<Value>(
  value: (row: (typeof rows)[number], index: number) => Value,
): Readonly<Record<Axis, Value>> {
  return Object.fromEntries(rows.map((row, index) => [row.name, value(row, index)])) as Record<Axis, Value>
}

export type Mesh = Readonly<Record<Axis, number>>

/** A set of axes as bits of a number, so that products over any subset can be looked up. */
export type AxisSet = number

export const axisBit: Readonly<Record<Axis, AxisSet>> = perAxis((_, index) => 1 << index)

export const axisSets = 1 << axes.length

export function axisSet(members: readonly Axis[]): AxisSet {
  return members.reduce((set, axis) => set | axisBit[axis], 0)
}

export function axesOf(set: AxisSet): readonly Axis[] {
  return axes.filter((axis) => set & axisBit[axis])
}

/** Axes in use, all that are larger than 1. */
export function activeAxes(mesh: Mesh): readonly Axis[] {
  return axes.filter((axis) => mesh[axis] > 1)
}

/** No axis is as large, and no stride: two sizes are one number as a·beyondAnyAxis + b. Keys are such numbers, as look-ups are far more frequent than what they spare. */
export const beyondAnyAxis = 2 ** 25

export function meshSize(mesh: Mesh): number {
  return axes.reduce((product, axis) => product * mesh[axis], 1)
}

/** Number of groups of chips with sequences of their own. All that is not an expert treats the expert axis like data. */
export function replicasOf(mesh: Mesh): number {
  let replicas = 1
  for (const axis of axesOfReplicas) replicas *= mesh[axis]
  return replicas
}

export const unitMesh: Mesh = perAxis(() => 1)

/** The same for equal meshes alone. */
export function meshKey(mesh: Mesh): string {
  return axes.map((axis) => mesh[axis]).join('x')
}

/** Which axes cut the model up. tensor and tensor2 count as one, since no layout of one mesh tells them apart. */
export function familyKey({ tensor, tensor2, context, expert, pipeline }: Mesh): string {
  return [tensor * tensor2, context, expert, pipeline].map((size) => (size > 1 ? 1 : 0)).join('')
}
