/** One einsum of a derivation as a chip runs it: its FLOPs, and the operands that it reads and writes. */
import {
  arrayNotation,
  axesOfArray,
  axisLetters,
  type Dimension,
  layerShare,
  type ShardedArray,
  without,
} from './array.ts'
import type { EinsumKind } from './component.ts'
import type { LocalProduct } from './einsum.ts'
import { elementsOf } from './elements.ts'
import { type Monomial, monomial } from './monomial.ts'
import type { Pass } from './move.ts'

export interface Product {
  readonly pass: Pass
  readonly kind: EinsumKind
  readonly out: string
  readonly notation: string
  /** Whether this is a forward einsum that runs again in the backward pass. */
  readonly recomputed: boolean
  /** Multiply-adds count as two. */
  readonly flops: Monomial
  /** The dimensions whose product the FLOPs are, each with the axes that divide it. */
  readonly work: readonly Dimension[]
  /** Number of matrices that a chip multiplies by, each with rows of its own: one for each expert that it has. */
  readonly matrices: Monomial
  /** The elements read and written, by operand and result; a score matrix is never written. */
  readonly operands: readonly { readonly elements: Monomial; readonly array: ShardedArray }[]
}

/** The result of an einsum, as declared. */
export interface Produced {
  readonly out: ShardedArray
  readonly kind: EinsumKind
  readonly recomputed?: boolean
}

export function product(
  pass: Pass,
  { out, kind, recomputed = false }: Produced,
  left: ShardedArray,
  right: ShardedArray,
  { divided, unreduced }: LocalProduct,
): Product {
  // What the product itself writes does not have the axes that a reduction or a slice brings in afterwards.
  const later = axesOfArray(out).filter((axis) => !divided.includes(axis) || unreduced.includes(axis))
  const result = without(out, later)
  const work = workOf(left, right, out)
  const partial = unreduced.length > 0 ? `{U_${axisLetters(unreduced)}}` : ''
  return {
    pass,
    kind,
    out: out.name,
    recomputed,
    notation: `${arrayNotation(result)}${partial} = ${arrayNotation(left)} * ${arrayNotation(right)}`,
    flops: monomial(
      2,
      work.map(({ extent }) => extent),
      divided,
    ),
    work,
    matrices: matricesOf([left, right, result]),
    operands: [left, right, result]
      .filter((array) => array.kind !== 'scores')
      .map((array) => ({
        elements: elementsOf(array),
        array,
      })),
  }
}

/** Each label once, with the axes of both operands. */
function workOf(left: ShardedArray, right: ShardedArray, out: ShardedArray): readonly Dimension[] {
  const work = new Map<string, Dimension>()
  for (const { label, extent, axes } of [...left.dimensions, ...right.dimensions]) {
    const known = work.get(label)
    work.set(label, { label, extent, axes: [...new Set([...(known?.axes ?? []), ...axes])] })
  }
  return [...work.values()].map((dimension) => ({
    ...dimension,
    extent: workedExtent(dimension, [left, right, out]),
  }))
}

/**
 * Arrays may differ in how much of a dimension they have. The work is what the label says where one of them has exactly that: N heads
 * on K, A choices of E experts. Else it is the weight's extent: of a key's head only the part that is projected up.
 */
function workedExtent({ label, extent }: Dimension, arrays: readonly ShardedArray[]): string {
  const all = arrays.flatMap(({ kind, dimensions }) =>
    dimensions.filter((dimension) => dimension.label === label).map((own) => ({ kind, extent: own.extent })),
  )
  const named = all.find((own) => own.extent === label)
  const weight = all.find(({ kind }) => kind === 'weight' || kind === 'gradient')
  return (named ?? weight)?.extent ?? extent
}

/** The number of matrices that a weight (or its gradient) is: the product of its dimensions that all three arrays have, but for a share of layers. */
function matricesOf(arrays: readonly ShardedArray[]): Monomial {
  const weight = arrays.find(({ kind }) => kind === 'weight' || kind === 'gradient')
  const stacked = (weight?.dimensions ?? []).filter(
    ({ label }) =>
      label !== layerShare &&
      arrays.every(({ dimensions }) => dimensions.some((dimension) => dimension.label === label)),
  )
  return monomial(
    1,
    stacked.map(({ extent }) => extent),
    stacked.flatMap(({ axes }) => axes),
  )
}
