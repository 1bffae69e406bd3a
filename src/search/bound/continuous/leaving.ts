/**
 * The part of a flow that leaves a unit of a cut, as a power of two of a linear expression in the logarithms of the axis sizes:
 *
 *   of the c/n · (g - 1) that a chip takes in, c/n · (g/a - 1) comes from outside its unit, a the chips of the group inside
 *
 * A flow that `others` do not divide either moves c/n · Π others · g · (1 - 1/g). With g >= 2 the chord of log2(1 - 1/g)
 * between 2 and n lies below it, and the product is a power as well; otherwise `others` are taken as 1.
 */
import { type Axis, type AxisSet, axesOf, axisSet, weightShardingAxes } from '../../../sharding/axis.ts'
import { ones, sum, type Terms, times } from '../../memory-policy/linear-terms.ts'
import type { Cut } from './network-cuts.ts'
import type { Power } from './power-program.ts'
import type { Flow } from './unavoidable.ts'

/** Stands for c/n · (power - minus). */
export interface Leaving {
  readonly power: Power
  readonly minus: 0 | 1
}

/** Name of the variable that is log2 of an axis's size. */
export function sizeOf(axis: Axis): string {
  return `log2 ${axis}`
}

/** Name of the variable that is log2 of the chips of an axis in one unit of a cut. */
export function insideOf(axis: Axis, cut: Cut): string {
  return `log2 ${axis} within ${cut.name}`
}

/** Axes that states are sharded over: where they are sharded, at least one of these is larger than 1. */
export const sharding: AxisSet = axisSet(weightShardingAxes)

/** Null when nothing of the flow leaves a unit. */
export function leaving({ over, others }: Flow, cut: Cut, sharded: boolean, chips: number): Leaving | null {
  if (cut.unit > 1) {
    const crossing = axesOf(over).filter((axis) => cut.across.includes(axis))
    if (crossing.length === 0) return null
    const outside = crossing.map((axis) => ({ [sizeOf(axis)]: 1, [insideOf(axis, cut)]: -1 }))
    return {
      power: { name: `${crossing.join(' x ')} across ${cut.name}`, exponent: sum(outside), offset: 0 },
      minus: 1,
    }
  }
  if (others !== 0 && sharded && over === sharding) {
    const slope = chordSlope(chips, (s) => 1 - 1 / s)
    const exponent = sum([times(sizesOf(over), 1 + slope), sizesOf(others)])
    const name = `${axesOf(over).join(' x ')} for all of ${axesOf(others).join(' x ')}`
    return { power: { name, exponent, offset: -1 - slope }, minus: 0 }
  }
  return { power: sizePower(over), minus: 1 }
}

/** The product of some axis sizes, as a power. */
export function sizePower(set: AxisSet): Power {
  return { name: axesOf(set).join(' x '), exponent: sizesOf(set), offset: 0 }
}

export function sizesOf(set: AxisSet): Terms {
  return ones(axesOf(set).map(sizeOf))
}

/** Slope of the chord of log2(f(s)) over log2(s), from s = 2 to `most`; 0 when `most` is no more than 2. */
export function chordSlope(most: number, f: (s: number) => number): number {
  return most > 2 ? Math.log2(f(most) / f(2)) / (Math.log2(most) - 1) : 0
}
