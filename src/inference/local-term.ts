/**
 * What the fullest chip has of an array, or its share of a product's work, with everything but a mesh and a batch put in:
 *
 *   value = coefficient · Π over dimensions of ceil(extent / shards)
 *
 * Shards is the product of the mesh axes on the dimension. Key-value heads are never less than one: beyond K shards they
 * are replicated. Where dimensions divide freely (`book`) there is no ceiling. Batches of inference are small and need not
 * divide, so padding is counted per dimension here; training pads once per mesh (cost/term.ts).
 */
import type { Transformer } from '../model/transformer.ts'
import type { Dimension } from '../sharding/array.ts'
import { type AxisSet, axes, axisSet, axisSets, type Mesh } from '../sharding/axis.ts'

/** B sequences, T new positions of each, S positions of a cache, and the model's. */
const extents = ['B', 'T', 'S', 'D', 'F', 'N', 'K', 'H', 'V'] as const

type Extent = (typeof extents)[number]

const keyValueHeads = extents.indexOf('K')

export interface LocalTerm {
  readonly coefficient: number
  readonly factors: readonly { readonly extent: number; readonly over: AxisSet }[]
}

/** Written by setShape and setShards, read by localValue; one per search, reused. */
export interface Sizes {
  readonly extents: Float64Array
  /** Product of the sizes of the axes in a set. */
  readonly shards: Float64Array
  readonly divideFreely: boolean
}

/** What runs through the model at once. */
export interface Shape {
  readonly sequences: number
  /** New positions of each sequence. */
  readonly positions: number
  /** Positions that each sequence's new ones meet, themselves included. */
  readonly context: number
}

export function createSizes(model: Transformer, divideFreely: boolean): Sizes {
  const of: Readonly<Record<Extent, number>> = {
    B: 1,
    T: 1,
    S: 1,
    D: model.dModel,
    F: model.dFf,
    N: model.heads,
    K: model.kvHeads,
    H: model.headDim,
    V: model.vocab,
  }
  return {
    extents: Float64Array.from(extents, (extent) => of[extent]),
    shards: new Float64Array(axisSets).fill(1),
    divideFreely,
  }
}

export function setShards({ shards }: Sizes, mesh: Mesh): void {
  axes.forEach((axis, k) => {
    const bit = 1 << k
    for (let set = 0; set < bit; set++) shards[set | bit] = (shards[set] ?? 1) * mesh[axis]
  })
}

export function setShape({ extents: sizes }: Sizes, { sequences, positions, context }: Shape): void {
  sizes[0] = sequences
  sizes[1] = positions
  sizes[2] = context
}

export function localTerm(coefficient: number, dimensions: readonly Dimension[]): LocalTerm {
  return {
    coefficient,
    factors: dimensions.map((dimension) => ({
      extent: extentIndex(dimension.extent),
      over: axisSet(dimension.axes),
    })),
  }
}

function extentIndex(name: string): number {
  const index = (extents as readonly string[]).indexOf(name)
  if (index < 0) throw new RangeError(`No size for the dimension ${name}`)
  return index
}

export function localValue({ coefficient, factors }: LocalTerm, sizes: Sizes): number {
  let value = coefficient
  for (const { extent, over } of factors) {
    const share = (sizes.extents[extent] ?? 0) / (sizes.shards[over] ?? 1)
    if (extent === keyValueHeads) value *= Math.max(1, sizes.divideFreely ? share : Math.ceil(share - slack))
    else value *= sizes.divideFreely ? share : Math.ceil(share - slack)
  }
  return value
}

/** Mean contexts and rounded products are real numbers: what is whole but for rounding is whole. */
const slack = 1e-9

export function sumOf(terms: readonly LocalTerm[], sizes: Sizes): number {
  let sum = 0
  for (const term of terms) sum += localValue(term, sizes)
  return sum
}
