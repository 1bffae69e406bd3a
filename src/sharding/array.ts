/**
 * Arrays with named dimensions, and shardings that give dimensions to mesh axes, written as in the book:
 *
 *   'B_RX T_C D_Z'   sequences over data and fsdp, positions over context, D over tensor2
 *   'B_RX T_C N:K_Y H'   heads in the algebra, but only K of them in bytes (grouped-query attention)
 *
 * Axis letters: R data, X fsdp, Y tensor, Z tensor2, C context, E expert, P pipeline.
 */
import type { WeightPart } from '../model/weight-parts.ts'
import { type Axis, axes, axisBit, axisSet, perAxis } from './axis.ts'
import { type ArrayRole, roleOf } from './roles.ts'

/**
 * What the bytes of an array are, which decides their precision and whether moving them waits for the product before.
 * A `cache` holds keys and values of past positions. Keys that are `passed` around a ring are used as they come. Copies of tokens
 * on their way to experts (`dispatch`) may have a narrower type than activations; what comes back (`combine`) does not. `scores`
 * live inside the fused attention kernel: they are never written to memory.
 */
export type ArrayKind =
  | 'weight'
  | 'gradient'
  | 'activation'
  | 'passed'
  | 'dispatch'
  | 'combine'
  | 'cache'
  | 'scores'

/** The label of a dimension that is a share of the layers: the mean layer has so much of an array that only some layers have. */
export const layerShare = 's'

export interface Dimension {
  /** The name that the einsum rules compare. */
  readonly label: string
  /** The name by which the size is looked up: the label, except for key-value heads and the like. */
  readonly extent: string
  readonly axes: readonly Axis[]
}

export interface ShardedArray {
  readonly name: string
  readonly kind: ArrayKind
  readonly role: ArrayRole
  /** For a weight, the part of the model that it belongs to, which checkpoints may keep in a type of its own. */
  readonly part?: WeightPart
  readonly dimensions: readonly Dimension[]
}

/** Whether it is there before and after what uses it. */
export function isLasting({ kind }: ShardedArray): boolean {
  return kind === 'weight' || kind === 'cache'
}

/** Whether it holds a copy of a token's stream for each of its experts, or what these make of one. */
export function isOfCopies({ kind, dimensions }: ShardedArray): boolean {
  const has = (name: string) => dimensions.some(({ label }) => label === name)
  return kind !== 'weight' && kind !== 'gradient' && has('A') && (has('D') || has('M'))
}

/** Such an array that every tensor rank has all of. */
export function isGatheredOfCopies(array: ShardedArray): boolean {
  return isOfCopies(array) && (axisSet(axesOfArray(array)) & axisBit.tensor) === 0
}

const letters = perAxis(({ letter }) => letter)

export function axisLetters(over: readonly Axis[]): string {
  return over.map((axis) => letters[axis]).join('')
}

/** Reads the notation above. Throws RangeError on a letter that is no axis: tables are code. */
export function shardedArray(name: string, kind: ArrayKind, notation: string): ShardedArray {
  const dimensions = notation.split(' ').map((word): Dimension => {
    const [names = '', sharding = ''] = word.split('_')
    const [label = '', extent = label] = names.split(':')
    return { label, extent, axes: [...sharding].map(axisOfLetter) }
  })
  return { name, kind, role: roleOf(name), dimensions }
}

/** Several arrays of one kind, by name. */
export function table(
  kind: ArrayKind,
  shardings: Readonly<Record<string, string>>,
): Record<string, ShardedArray> {
  const arrays = Object.entries(shardings).map(([name, notation]) => [
    name,
    shardedArray(name, kind, notation),
  ])
  return Object.fromEntries(arrays)
}

/** Several weights of one part of the model, by name. */
export function weights(
  part: WeightPart,
  shardings: Readonly<Record<string, string>>,
): Record<string, ShardedArray> {
  const arrays = Object.entries(table('weight', shardings)).map(([name, array]) => [name, { ...array, part }])
  return Object.fromEntries(arrays)
}

function axisOfLetter(letter: string): Axis {
  const found = axes.find((axis) => letters[axis] === letter)
  if (!found) throw new RangeError(`No mesh axis has the letter ${letter}`)
  return found
}

/** The array in the book's notation, `In[B_X, D_Y]`. A position dimension that nothing shards is left out: it is part of B, the batch in tokens. */
export function arrayNotation(array: ShardedArray): string {
  const printed = array.dimensions
    .filter(({ label, axes }) => !(label === 'T' && axes.length === 0))
    .map(({ extent, axes }) => (axes.length > 0 ? `${extent}_${axisLetters(axes)}` : extent))
  return `${array.name}[${printed.join(', ')}]`
}

export function axesOfArray(array: ShardedArray): readonly Axis[] {
  // Called millions of times while layouts are derived, hence plain loops.
  const found: Axis[] = []
  for (const { axes } of array.dimensions) for (const axis of axes) found.push(axis)
  return found
}

export function labelOf(array: ShardedArray, axis: Axis): string | undefined {
  return array.dimensions.find((dimension) => dimension.axes.includes(axis))?.label
}

/** The array with each of its dimensions changed. */
export function withDimensions(
  array: ShardedArray,
  changed: (dimension: Dimension) => Dimension,
): ShardedArray {
  return { ...array, dimensions: array.dimensions.map(changed) }
}

/** The array once it has been gathered over some axes. */
export function without(array: ShardedArray, gone: readonly Axis[]): ShardedArray {
  return withDimensions(array, (dimension) => ({
    ...dimension,
    axes: dimension.axes.filter((axis) => !gone.includes(axis)),
  }))
}

/** The array with `added` as further axes of one dimension: states are sharded so by fsdp. */
export function shardedFurther(array: ShardedArray, label: string, added: readonly Axis[]): ShardedArray {
  return withDimensions(array, (dimension) =>
    dimension.label === label ? { ...dimension, axes: [...dimension.axes, ...added] } : dimension,
  )
}

/** The array with a dimension renamed: keys are written per T and read per S. */
export function relabelled(array: ShardedArray, from: string, to: string): ShardedArray {
  return withDimensions(array, (dimension) =>
    dimension.label === from ? { ...dimension, label: to } : dimension,
  )
}

export function arraysOfKind(
  arrays: readonly ShardedArray[],
  ...kinds: readonly ArrayKind[]
): readonly ShardedArray[] {
  return arrays.filter(({ kind }) => kinds.includes(kind))
}
