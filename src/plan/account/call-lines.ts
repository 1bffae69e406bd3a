/** Splits a network call into lines of an answer: its time is divided among its arrays by their bytes. */
import { type Beside, callBusy, callTime } from '../../cost/communication/traffic.ts'
import type { Call } from '../../cost/compile/call.ts'
import { collectiveTime } from '../../hardware/network/collective.ts'
import type { GroupCost } from '../../hardware/network/group-cost.ts'
import { type AxisSet, axesOf } from '../../sharding/axis.ts'
import type { Way } from '../../sharding/move.ts'
import type { Bytes } from '../../units.ts'
import type { CollectiveLine } from '../plan.ts'
import type { Movement } from './movement.ts'

interface Priced extends Pick<Beside, 'assumptions' | 'experts'> {
  readonly cost: GroupCost
}

/** What a line says of when and over which axes it moves. */
export interface Told extends Pick<CollectiveLine, 'count' | 'exposed' | 'pass'> {
  /** Axes of the call that are larger than 1. */
  readonly over: AxisSet
  /** Bytes of each array, as the call's group sees it. */
  readonly bytes: readonly Bytes[]
  readonly arrays: readonly string[]
}

export function callLines(
  call: Pick<Call<unknown>, 'operation' | 'routed'>,
  { count, exposed, pass, over, bytes, arrays }: Told,
  { cost, ...beside }: Priced,
): readonly Movement[] {
  if (cost.chips === 1 || count === 0) return []
  const whole = bytes.reduce((sum, own) => sum + own, 0)
  const seconds = callTime(call, whole, cost, beside)
  const busy = callBusy(call, whole, cost, beside)
  return arrays.map((array, at): Movement => {
    const own = bytes[at] ?? 0
    const share = (count * own) / whole
    const line: CollectiveLine = {
      ...messages(call.operation, own, count, cost),
      over: axesOf(over).join(' x '),
      array,
      seconds: seconds * share,
      exposed,
      pass,
    }
    return { line, busy: busy.map((part) => part * share) }
  })
}

/** What goes around a ring is told as the messages that each chip sends the next. */
function messages(
  operation: Way,
  bytes: Bytes,
  count: number,
  { chips }: GroupCost,
): Pick<CollectiveLine, 'op' | 'bytes' | 'count'> {
  return operation === 'Ring'
    ? { op: 'Permute', bytes: bytes / chips, count: count * (chips - 1) }
    : { op: operation, bytes, count }
}

/** A transfer from one pipeline stage to another: of activations to the next, or of gradients that the first and the last exchange. */
export function transferLine(
  told: Pick<CollectiveLine, 'op' | 'array' | 'bytes' | 'count' | 'exposed' | 'pass'>,
  { permutePerByte, permuteLatency, latencyIsFloor, permuteLoads }: GroupCost,
): Movement {
  const { bytes, count } = told
  const one = collectiveTime(bytes, permutePerByte, permuteLatency, latencyIsFloor)
  return {
    line: { over: 'pipeline', ...told, seconds: one * count },
    busy: permuteLoads.map((load) => load * bytes * count),
  }
}
