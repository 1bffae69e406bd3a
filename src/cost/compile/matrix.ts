/**
 * A weight as the matrices that its matmul sees: each expert has its own, and a head's width belongs to the heads.
 *
 *   W_Q[D, N, H] is D x NH;  W_O[N, H, D] is NH x D;  an expert's W_in[E, D, G] is E matrices of D x G
 *
 * That only a share of the layers has a weight (s) makes for fewer matrices, not for smaller ones. Optimizers that look at more than one element at a time look at these.
 */
import type { Dimension, ShardedArray } from '../../sharding/array.ts'
import { type Extents, type Monomial, monomial } from '../../sharding/monomial.ts'

export interface Matrix {
  /** Elements of vectors with one number for each row, or each column, of all the matrices of the weight. */
  readonly rowVectors: Monomial
  readonly columnVectors: Monomial
  readonly rows: (extents: Extents) => number
  readonly columns: (extents: Extents) => number
}

const ofHeads = ['N', 'n', 'H']
/** Dimensions that count matrices. */
const counts = ['A', 's']

export function matrixOf({ dimensions }: ShardedArray): Matrix {
  const several = dimensions.filter(({ label }) => counts.includes(label))
  const [first, ...others] = dimensions.filter(({ label }) => !counts.includes(label))
  if (!first) throw new RangeError('A weight has rows and columns')
  const leading = ofHeads.includes(first.label) ? others.filter(({ label }) => ofHeads.includes(label)) : []
  const rows = [first, ...leading]
  const columns = others.filter((dimension) => !leading.includes(dimension))
  return {
    rowVectors: vectors([...several, ...rows]),
    columnVectors: vectors([...several, ...columns]),
    rows: (extents) => size(rows, extents),
    columns: (extents) => size(columns, extents),
  }
}

function vectors(dimensions: readonly Dimension[]): Monomial {
  return monomial(
    1,
    dimensions.map(({ extent }) => extent),
    dimensions.flatMap(({ axes }) => axes),
  )
}

function size(dimensions: readonly Dimension[], extents: Extents): number {
  return dimensions.reduce((product, { extent }) => product * (extents[extent] ?? 1), 1)
}
