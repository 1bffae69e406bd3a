/** What moves in a step: a line of the answer, and how long it keeps each part of the network busy. */
import { type Axis, axesByPrecedence, perAxis } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { CollectiveLine } from '../plan.ts'

export interface Movement {
  readonly line: CollectiveLine
  /** Seconds for each part of the network (hardware/network/collective.ts), over all `count` calls. */
  readonly busy: readonly Seconds[]
}

/** Sums of some of the seconds of each movement, by the axis that it is counted under. */
export function byAxis(
  movements: readonly Movement[],
  secondsOf: (movement: Movement) => Seconds,
): Readonly<Record<Axis, Seconds>> {
  const sums = { ...perAxis((): Seconds => 0) }
  for (const movement of movements) {
    const axis = axisOf(movement.line)
    if (axis) sums[axis] += secondsOf(movement)
  }
  return sums
}

/** Seconds for each axis, as if collectives ran one after another. */
export function communication(movements: readonly Movement[]): Readonly<Record<Axis, Seconds>> {
  return byAxis(movements, ({ line }) => line.seconds)
}

/** The first of its axes by precedence, in which the weights' own axis comes first. */
function axisOf({ over }: CollectiveLine): Axis | null {
  const among = over.split(' x ')
  return axesByPrecedence.find((name) => among.includes(name)) ?? null
}
