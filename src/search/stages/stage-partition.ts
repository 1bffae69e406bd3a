/**
 * Cuts layers that differ into pipeline stages: the exact dynamic programme. Layers l = 0 … n-1 (embedding and loss may be
 * among them) take t_l, hold b_l bytes, and keep k_l of each microbatch; stage s has f_s microbatches in flight and the
 * layers from c_s up to c_s+1, at least one, and
 *
 *   minimise  max_s Σ t_l      subject to   Σ (b_l + f_s·k_l) <= limit_s   for every stage s
 *
 * Best(s, i), the least longest stage of the layers from i on over stages s … p-1, is the least over j of
 * max(t_i + … + t_j-1, Best(s+1, j)): O(p·n²). Of the cuts that are as good, each stage in turn takes as few layers as leave
 * one: the early ones hold the most microbatches. The programme in test/agree/training/stage-partition-program.ts checks it.
 */
import type { Bytes, Seconds } from '../../units.ts'

export interface LayerLoad {
  readonly time: Seconds
  readonly bytes: Bytes
  /** Bytes kept for each microbatch in flight. */
  readonly kept: Bytes
}

export interface StageRoom {
  readonly inFlight: number
  readonly limit: Bytes
}

export interface StagePartition {
  /** Number of layers by stage, in the model's order. */
  readonly counts: readonly number[]
  /** Time of the longest stage. */
  readonly longest: Seconds
}

/** Null when no cut keeps every stage within its limit. */
export function stagePartition(
  layers: readonly LayerLoad[],
  stages: readonly StageRoom[],
): StagePartition | null {
  const n = layers.length
  const times = sums(layers.map(({ time }) => time))
  const bytes = sums(layers.map(({ bytes: own }) => own))
  const kept = sums(layers.map(({ kept: own }) => own))
  const between = (sum: Float64Array, from: number, to: number) => (sum[to] ?? 0) - (sum[from] ?? 0)
  const held = (stage: StageRoom, from: number, to: number) =>
    between(bytes, from, to) + stage.inFlight * between(kept, from, to)
  // Best(s, i) by stage s, with one row beyond the last stage.
  const best: Float64Array[] = Array.from({ length: stages.length + 1 }, () =>
    new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY),
  )
  const bestFrom = (stage: number, layer: number) => best[stage]?.[layer] ?? Number.POSITIVE_INFINITY
  best[stages.length]?.fill(0, n)
  for (const [stage, room] of [...stages.entries()].reverse()) {
    for (let from = 0; from < n; from++) {
      let least = Number.POSITIVE_INFINITY
      for (let to = from + 1; to <= n; to++) {
        const own = between(times, from, to)
        if (own >= least || held(room, from, to) > room.limit) break
        least = Math.min(least, Math.max(own, bestFrom(stage + 1, to)))
      }
      best[stage]?.fill(least, from, from + 1)
    }
  }
  const longest = bestFrom(0, 0)
  if (!Number.isFinite(longest)) return null
  let from = 0
  const counts = stages.map((_, stage) => {
    let to = from + 1
    while (to < n && bestFrom(stage + 1, to) > longest) to++
    const count = to - from
    from = to
    return count
  })
  return { counts, longest }
}

/** Sums of the first i values, by i. */
function sums(values: readonly number[]): Float64Array {
  const totals = new Float64Array(values.length + 1)
  values.forEach((value, i) => {
    totals[i + 1] = (totals[i] ?? 0) + value
  })
  return totals
}
