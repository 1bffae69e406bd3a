/** What moves in a step: a line of the answer, and how long it keeps each part of the network busy. */
import { type Axis, axesByPrecedence, perAxis } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { CollectiveLine } from '../plan.ts'

export interface Movement {
  readonly line: CollectiveLine
  /** Seconds for each part of the network (hardware/network/collective.ts), over all `count` calls. */
  readonly busy: readonly Seconds[]
}

/** The axis that a collective is counted under: the first of its axes by precedence, in which the weights' own axis comes first. */
export function axisOf({ over }: CollectiveLine): Axis | null {
  const among = over.split(' x ')
  return axesByPrecedence.find((name) => among.includes(name)) ?? null
}

/** Seconds for each axis, as if collectives ran one after another. */
export function byAxis(lines: readonly CollectiveLine[]): Readonly<Record<Axis, Seconds>> {
  return summedByAxis(lines.map(axisOf), (at) => lines[at]?.seconds ?? 0)
}

/** Sums of what is counted under each axis, in order. */
export function summedByAxis(
  counted: readonly (Axis | null)[],
  secondsAt: (at: number) => Seconds,
): Readonly<Record<Axis, Seconds>> {
  const sums = { ...perAxis((): Seconds => 0) }
  counted.forEach((axis, at) => {
    if (axis) sums[axis] += secondsAt(at)
  })
  return sums
}
