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

export function leanest(stages: readonly StageBytes[]): Leanest {
  const unlimited = Math.max(...stages.map(sumOfLeast))
  const [options = []] = stages
  // A limit below the least workspace of some component leaves that component no layout.
  const lowest = Math.max(...options.map((own) => Math.min(...own.map(({ workspace }) => workspace))))
  let best: Leanest = { bytes: Number.POSITIVE_INFINITY, chosen: [] }
  for (const { workspace: limit } of options.flat()) {
    if (limit < lowest || limit + unlimited >= best.bytes) continue
    const chosen = options.map((_, component) => leanestWithin(stages, component, limit))
    const bytes = limit + Math.max(...stages.map((own) => bytesOf(own, chosen)))
    if (bytes < best.bytes) best = { bytes, chosen }
  }
  return best
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
  let [least, chosen] = [Number.POSITIVE_INFINITY, -1]
  const own = stages.map((stage) => stage[component] ?? [])
  const [first = []] = own
  for (let option = 0; option < first.length; option++) {
    if ((first[option]?.workspace ?? 0) > limit) continue
    let bytes = 0
    for (const options of own) bytes += options[option]?.bytes ?? 0
    if (bytes < least) [least, chosen] = [bytes, option]
  }
  return chosen
}

function bytesOf(stage: StageBytes, chosen: readonly number[]): Bytes {
  return stage.reduce((sum, options, component) => sum + (options[chosen[component] ?? -1]?.bytes ?? 0), 0)
}
