/**
 * The mesh as real numbers: log2 of the axis sizes, which sum to that of the chips, and log2 of the chips of each axis in
 * one unit of a network cut.
 */
import type { Row, Variable } from '../../../../solvers/linear-program.ts'
import type { StageModel } from '../../../cost/compile/stage-model.ts'
import { type Axis, axes } from '../../../sharding/axis.ts'
import { ones } from '../../memory-policy/linear-terms.ts'
import { insideOf, sharding, sizeOf, sizesOf } from './leaving.ts'
import type { Cut } from './network-cuts.ts'
import type { Part } from './part.ts'

/** A ZeRO stage with a pipeline or without, and the ranges of sizes of the meshes that it stands for. */
export interface Case {
  readonly stage: StageModel
  readonly sizes: Readonly<Record<Axis, SizeRange>>
  readonly products: readonly ({ readonly over: readonly Axis[] } & SizeRange)[]
  /** Whether there are at least two stages. */
  readonly pipelined: boolean
  /** Whether fsdp or context is larger than 1 on all of the meshes. */
  readonly sharded: boolean
}

export interface SizeRange {
  readonly least: number
  readonly most: number
}

export function meshPart({ sizes, products, sharded }: Case, cuts: readonly Cut[], chips: number): Part {
  const units = cuts.filter(({ unit }) => unit > 1)
  return {
    variables: [
      ...axes.map((axis): Variable => {
        const { least, most } = sizes[axis]
        return { name: sizeOf(axis), cost: 0, lower: Math.log2(least), upper: Math.log2(most) }
      }),
      ...units.flatMap((cut) => cut.across.map((axis) => ({ name: insideOf(axis, cut), cost: 0 }))),
    ],
    rows: [
      { name: 'chips', terms: ones(axes.map(sizeOf)), lower: Math.log2(chips), upper: Math.log2(chips) },
      ...products.map(({ over, least, most }) => ({
        name: `range of ${over.join(' x ')}`,
        terms: ones(over.map(sizeOf)),
        lower: Math.log2(least),
        upper: Math.log2(most),
      })),
      ...(sharded ? [{ name: 'states are sharded', terms: sizesOf(sharding), lower: 1 }] : []),
      ...units.flatMap((cut): readonly Row[] => [
        {
          name: `unit of ${cut.name}`,
          terms: ones(axes.map((axis) => (cut.across.includes(axis) ? insideOf(axis, cut) : sizeOf(axis)))),
          upper: Math.log2(cut.unit),
        },
        ...cut.across.map((axis) => ({
          name: `${axis} within ${cut.name}`,
          terms: { [insideOf(axis, cut)]: 1, [sizeOf(axis)]: -1 },
          upper: 0,
        })),
      ]),
    ],
    powers: [],
    priced: [],
  }
}
