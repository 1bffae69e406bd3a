/**
 * Cuts layers that differ into stages as evenly as possible: of the cuts whose longest stage is shortest (stage-partition.ts),
 * the one with the least sum of squares, and of those the one in which each stage in turn takes as few layers as it may.
 *
 *   least(s, i) = min over j of (t_i + … + t_j-1)² + least(s+1, j)      with no stage over the longest
 *
 * Where all layers are alike that is the closed form of cost/step/stages.ts.
 */
import { type StageRoom, stagePartition } from './stage-partition.ts'

/** Tolerance for sums that are added up in another order. */
const rounding = 1e-9

/** Layers by stage; `times` may be any load of the layers. Null when there are fewer layers than stages. */
export function evenPartition(times: readonly number[], stages: number): readonly number[] | null {
  const free: StageRoom = { inFlight: 0, limit: Number.POSITIVE_INFINITY }
  const cut = stagePartition(
    times.map((time) => ({ time, bytes: 0, kept: 0 })),
    new Array<StageRoom>(stages).fill(free),
  )
  if (!cut) return null
  const most = cut.longest * (1 + rounding)
  const n = times.length
  const sums = [0]
  for (const time of times) sums.push((sums.at(-1) ?? 0) + time)
  const least: Float64Array[] = Array.from({ length: stages + 1 }, () =>
    new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY),
  )
  const leastFrom = (stage: number, layer: number) => least[stage]?.[layer] ?? Number.POSITIVE_INFINITY
  least[stages]?.fill(0, n)
  /** Sum of squares from a stage on that takes the layers from `from` up to `to`; infinite when it is too long. */
  const squares = (stage: number, from: number, to: number) => {
    const own = (sums[to] ?? 0) - (sums[from] ?? 0)
    return own > most ? Number.POSITIVE_INFINITY : own ** 2 + leastFrom(stage + 1, to)
  }
  for (let stage = stages - 1; stage >= 0; stage--) {
    for (let from = n - 1; from >= 0; from--) {
      let best = Number.POSITIVE_INFINITY
      for (let to = from + 1; to <= n && (sums[to] ?? 0) - (sums[from] ?? 0) <= most; to++) {
        best = Math.min(best, squares(stage, from, to))
      }
      least[stage]?.fill(best, from, from + 1)
    }
  }
  let from = 0
  return Array.from({ length: stages }, (_, stage) => {
    const best = leastFrom(stage, from) * (1 + rounding)
    let to = from + 1
    while (squares(stage, from, to) > best) to++
    const count = to - from
    from = to
    return count
  })
}
