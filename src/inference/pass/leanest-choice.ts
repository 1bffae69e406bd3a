/**
 * The choice of layouts that takes the least memory, on the stage where it takes the most:
 *
 *   min_x max_s Σ_k m_sk(x_k) + max_k w_k(x_k)
 *
 * For each workspace as the limit, each component has its leanest layout within it, by what it takes on all stages together: they differ in how many layers
 * there are of each component, and the embedding's rows lie on one of them.
 */
import type { Bytes } from '../../units.ts'
import type { StageBytes } from './pass-amounts.ts'

interface Leanest {
  /** Infinity where a component has no layout. */
  readonly bytes: Bytes
  /** By component, the index of its layout. */
  readonly chosen: readonly number[]
}

/** Asked for each number of sequences that a mesh may have room for, so that it makes next to nothing. */
export function leanest(stages: readonly StageBytes[]): Leanest {
  const [options = []] = stages
  let unlimited = Number.NEGATIVE_INFINITY
  for (const stage of stages) unlimited = Math.max(unlimited, sumOfLeast(stage))
  const lowest = lowestLimit(options)
  let best: Leanest = { bytes: Number.POSITIVE_INFINITY, chosen: [] }
  const chosen = options.map(() => -1)
  for (const own of options) {
    for (const { workspace: limit } of own) {
      if (limit < lowest || limit + unlimited >= best.bytes) continue
      for (let component = 0; component < chosen.length; component++) {
        chosen[component] = leanestWithin(stages, component, limit)
      }
      let most = Number.NEGATIVE_INFINITY
      for (const stage of stages) most = Math.max(most, bytesOf(stage, chosen))
      if (limit + most < best.bytes) best = { bytes: limit + most, chosen: chosen.slice() }
    }
  }
  return best
}

/** A limit below the least workspace of some component leaves that component no layout. */
function lowestLimit(options: StageBytes): Bytes {
  let lowest = Number.NEGATIVE_INFINITY
  for (const own of options) {
    let least = Number.POSITIVE_INFINITY
    for (const { workspace } of own) least = Math.min(least, workspace)
    lowest = Math.max(lowest, least)
  }
  return lowest
}

/** Bytes that stay, each component in its leanest layout. */
export function sumOfLeast(stage: StageBytes): Bytes {
  let sum = 0
  for (const options of stage) {
    let least = Number.POSITIVE_INFINITY
    for (const { bytes } of options) if (bytes < least) least = bytes
    sum += least
  }
  return sum
}

/** The first of those that take the least, on whichever stage has layers of the component. */
function leanestWithin(stages: readonly StageBytes[], component: number, limit: Bytes): number {
  let least = Number.POSITIVE_INFINITY
  let chosen = -1
  const first = stages[0]?.[component] ?? []
  for (let option = 0; option < first.length; option++) {
    if ((first[option]?.workspace ?? 0) > limit) continue
    let bytes = 0
    for (const stage of stages) bytes += stage[component]?.[option]?.bytes ?? 0
    if (!(bytes < least)) continue
    least = bytes
    chosen = option
  }
  return chosen
}

function bytesOf(stage: StageBytes, chosen: readonly number[]): Bytes {
  let sum = 0
  for (let component = 0; component < stage.length; component++) {
    sum += stage[component]?.[chosen[component] ?? -1]?.bytes ?? 0
  }
  return sum
}
