/** What moves in a step: a line of the answer, and how long each part of the network is busy with it. */
import { type Axis, axesByPrecedence, perAxis } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { CollectiveLine } from '../plan.ts'

export interface Movement {
  readonly line: CollectiveLine
  /** By part of the network (hardware/network/collective.ts), of all of the line's. */
  readonly busy: readonly Seconds[]
}

/** A collective over several axes counts for the first of them that is larger than 1, weights' own axis first. */
export function axisOf({ over }: CollectiveLine): Axis | null {
  const among = over.split(' x ')
  return axesByPrecedence.find((name) => among.includes(name)) ?? null
}

/** Seconds of each axis, one collective after another. */
export function byAxis(lines: readonly CollectiveLine[]): Readonly<Record<Axis, Seconds>> {
  const own = (axis: Axis) =>
    lines.reduce((sum, line) => (axisOf(line) === axis ? sum + line.seconds : sum), 0)
  return perAxis(({ name }) => own(name))
}
