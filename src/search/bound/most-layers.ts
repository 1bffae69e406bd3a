/**
 * How many layers one stage has room for: a linear programme of two rows (stage-room.ts), solved by its corners, in which at most two policies
 * meet.
 */
import type { Bytes, Seconds } from '../../units.ts'

/** What one layer takes, by policy; only policies that no other beats in everything are kept. */
export interface LayerNeeds {
  readonly times: readonly Seconds[]
  readonly kept: readonly Bytes[]
  readonly live: readonly Bytes[]
}

/** Drops policies that take at least as long as another and no fewer bytes; of those that are alike in all the first stays. */
export function fewest(needs: LayerNeeds): LayerNeeds {
  const count = needs.times.length
  const [times, kept, live]: [Seconds[], Bytes[], Bytes[]] = [[], [], []]
  for (let one = 0; one < count; one++) {
    let useful = true
    for (let other = 0; useful && other < count; other++) {
      useful = other === one || !worse(needs, one, other) || (one < other && worse(needs, other, one))
    }
    if (!useful) continue
    times.push(needs.times[one] ?? 0)
    kept.push(needs.kept[one] ?? 0)
    live.push(needs.live[one] ?? 0)
  }
  return { times, kept, live }
}

/** Whether one policy takes at least as much of everything as another. */
function worse({ times, kept, live }: LayerNeeds, one: number, other: number): boolean {
  return (
    (times[one] ?? 0) >= (times[other] ?? 0) &&
    (kept[one] ?? 0) >= (kept[other] ?? 0) &&
    (live[one] ?? 0) >= (live[other] ?? 0)
  )
}

/** The most layers that one stage has room for. */
export function mostLayers(
  { times, kept, live }: LayerNeeds,
  states: Bytes,
  microbatches: number,
  time: Seconds,
  bytes: Bytes,
): number {
  let most = 0
  for (let p = 0; p < times.length; p++) {
    const timeOne = times[p] ?? 0
    const bytesOne = states + microbatches * (kept[p] ?? 0)
    const liveOne = live[p] ?? 0
    most = Math.max(most, Math.min(time / timeOne, (bytes - liveOne) / bytesOne))
    for (let q = p + 1; q < times.length; q++) {
      const timeTwo = times[q] ?? 0
      const bytesTwo = states + microbatches * (kept[q] ?? 0)
      const room = bytes - Math.max(liveOne, live[q] ?? 0)
      // Both limits are met when x layers are under one policy and y under the other.
      const determinant = timeOne * bytesTwo - timeTwo * bytesOne
      const x = (time * bytesTwo - timeTwo * room) / determinant
      const y = (timeOne * room - time * bytesOne) / determinant
      if (x > 0 && y > 0) most = Math.max(most, x + y)
    }
  }
  return most
}
