/**
 * What the fullest chip has of an array, or its share of a product's work, with everything but a mesh and a batch put in:
 *
 *   value = coefficient · Π over dimensions of ceil(extent / shards)
 *
 * Shards is the product of the mesh axes on the dimension. Key-value heads are never less than one: beyond K shards they
 * are replicated. A share of the layers is a factor as it is. Experts are whole, and some of them exist more than once (model/expert-slots.ts); where dimensions divide freely
 * (`book`) nothing else has a ceiling. Batches of inference are small and need not divide, so padding is counted per
 * dimension here; training pads once per mesh (cost/compile/term.ts).
 *
 * What a router decides has no ceiling, but a fullest chip (routed.ts), of the tokens that the dimensions before it say.
 */
import type { Dimension } from '../../sharding/array.ts'
import { type AxisSet, axisSet } from '../../sharding/axis.ts'
import {
  allExperts,
  choices,
  extents,
  keyValueHeads,
  type Sizes,
  shapeExtents,
  sharesOfLayers,
  slack,
  tokenExtents,
} from './local-sizes.ts'
import { routed, slotsOf } from './routed.ts'

export interface LocalTerm {
  readonly coefficient: number
  readonly factors: readonly { readonly extent: number; readonly over: AxisSet }[]
}

/** Terms that are added up. A model's sums are numbered, so that a search works each out once for a mesh and a shape. */
export interface LocalSum {
  readonly terms: readonly LocalTerm[]
  /** Its number; -1 for one that is worked out each time. */
  readonly at: number
  /** Whether it depends on what runs through the model, and not on the mesh alone. */
  readonly ofShape: boolean
}

export function localSum(terms: readonly LocalTerm[], at = -1): LocalSum {
  const ofShape = terms.some(({ factors }) =>
    factors.some(({ extent }) => extent < shapeExtents || extent >= choices),
  )
  return { terms, at, ofShape }
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
  const index = extents.indexOf(name)
  if (index < 0) throw new RangeError(`No size for the dimension ${name}`)
  return index
}

export function localValue({ coefficient, factors }: LocalTerm, sizes: Sizes): number {
  let value = coefficient
  let tokens = 1
  for (const { extent, over } of factors) {
    if (extent >= choices) {
      value *= routed(extent, over, tokens, sizes)
      continue
    }
    if (extent === allExperts) {
      value *= slotsOf(over, sizes)
      continue
    }
    const share = (sizes.extents[extent] ?? 0) / (sizes.shards[over] ?? 1)
    const own = sizes.divideFreely || sharesOfLayers.has(extent) ? share : Math.ceil(share - slack)
    value *= extent === keyValueHeads ? Math.max(1, own) : own
    if (extent < tokenExtents) tokens *= own
  }
  return value
}

export function sumOf({ terms, at, ofShape }: LocalSum, sizes: Sizes): number {
  const { remembered } = sizes
  const turn = ofShape ? remembered.ofShape : remembered.ofMesh
  if (at >= 0 && remembered.turns[at] === turn) return remembered.values[at] ?? 0
  let sum = 0
  for (const term of terms) sum += localValue(term, sizes)
  if (at >= 0) {
    remembered.values[at] = sum
    remembered.turns[at] = turn
  }
  return sum
}
