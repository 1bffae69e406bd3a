/**
 * How the layers lie on pipeline stages, and how many microbatches each stage holds.
 *
 * Layers are equal; the first stage also embeds, the last also unembeds and takes the loss. Stages are balanced on
 * compute time: the least T such that floor((T - extra_i)/t) layers on each stage make L. What is left over is
 * taken from the first stage, then from those after it, which hold the most microbatches. So 126 layers on 16 stages
 * are 7, 8, ..., 8, 7 where the loss is worth half a layer.
 *
 * Microbatches in flight on stage i of p, of m (formulas 9):
 *   gpipe m;  1F1B min(m, p - i);  interleaved, in units of the stage's layers, ((v-1)p + 2(p-i) - 1)/v;  ZB-H1 min(m, p)
 *   on every stage;  DualPipe p + 1 of both its stages together (sources in split-backward.ts)
 *
 * Under DualPipe a chip holds stages i and p - 1 - i and runs half of the microbatches on each: it counts as a stage of
 * their mean. Layers are then balanced over such pairs.
 */
import type { ScheduleName } from '../problem.ts'
import type { Seconds } from '../units.ts'

/** Stages, or the chips of a pipeline, that are alike, and where the first of them stands. */
export interface StageGroup {
  readonly first: boolean
  readonly last: boolean
  /** That a microbatch runs through on it. */
  readonly layers: number
  readonly stages: number
  readonly index: number
  readonly inFlight: number
  /** Stages whose weights a chip holds; of each it runs that share of the microbatches. */
  readonly held: 1 | 2
}

export interface Schedule {
  readonly name: ScheduleName
  readonly virtualStages: number
}

export function inFlight(schedule: Schedule, stage: number, stages: number, microbatches: number): number {
  const v = schedule.virtualStages
  if (schedule.name === 'none' || schedule.name === 'gpipe')
    return schedule.name === 'none' ? 1 : microbatches
  if (schedule.name === '1f1b') return Math.min(microbatches, stages - stage)
  if (schedule.name === 'zb-h1') return Math.min(microbatches, stages)
  if (schedule.name === 'dualpipe') return Math.min(microbatches, stages + 1)
  return Math.min(microbatches, ((v - 1) * stages + 2 * (stages - stage) - 1) / v)
}

/** Layers per stage; real numbers L/p where layers divide freely. Null where a stage would have fewer than `least`. */
export function stageLayers(
  layers: number,
  stages: number,
  least: number,
  layer: Seconds,
  firstExtra: Seconds,
  lastExtra: Seconds,
): readonly number[] | null {
  if (layers < stages * least) return null
  const extra = (stage: number) => (stage === 0 ? firstExtra : 0) + (stage === stages - 1 ? lastExtra : 0)
  const room = (limit: Seconds, stage: number) =>
    Math.max(least, Math.floor((limit - extra(stage)) / layer + 1e-9))
  const total = (limit: Seconds) => {
    const middle = stages > 2 ? (stages - 2) * room(limit, 1) : 0
    return room(limit, 0) + middle + (stages > 1 ? room(limit, stages - 1) : 0)
  }
  let limit = Number.POSITIVE_INFINITY
  for (const base of [0, firstExtra, lastExtra, firstExtra + lastExtra]) {
    for (let count = least; count <= layers; count++) {
      const candidate = count * layer + base
      if (candidate >= limit) break
      if (total(candidate) >= layers) {
        limit = candidate
        break
      }
    }
  }
  const counts = Array.from({ length: stages }, (_, stage) => room(limit, stage))
  let surplus = counts.reduce((sum, count) => sum + count, 0) - layers
  while (surplus > 0) {
    for (let stage = 0; stage < stages && surplus > 0; stage++) {
      const count = counts[stage] ?? 0
      if (count <= least) continue
      counts[stage] = count - 1
      surplus--
    }
  }
  return counts
}

/** Layers by stage of DualPipe: pairs of stages are balanced, and each is cut in half, the earlier stage the larger. */
export function mirroredLayers(
  layers: number,
  stages: number,
  layer: Seconds,
  firstExtra: Seconds,
  lastExtra: Seconds,
): readonly number[] | null {
  const pairs = stageLayers(layers, stages / 2, 2, layer, firstExtra + lastExtra, 0)
  if (!pairs) return null
  return [
    ...pairs.map((count) => Math.ceil(count / 2)),
    ...[...pairs].reverse().map((count) => Math.floor(count / 2)),
  ]
}

export function stageGroups(
  counts: readonly number[],
  schedule: Schedule,
  microbatches: number,
): readonly StageGroup[] {
  const stages = counts.length
  if (schedule.name === 'dualpipe') return mirroredGroups(counts, schedule, microbatches)
  const groups: StageGroup[] = []
  counts.forEach((layers, index) => {
    const first = index === 0
    const last = index === stages - 1
    const before = groups.at(-1)
    if (before && !before.first && !last && before.layers === layers) {
      groups[groups.length - 1] = { ...before, stages: before.stages + 1 }
    } else {
      groups.push({
        first,
        last,
        layers,
        stages: 1,
        index,
        inFlight: inFlight(schedule, index, stages, microbatches),
        held: 1,
      })
    }
  })
  return groups
}

/** Chips i and p - 1 - i hold the same stages. */
function mirroredGroups(
  counts: readonly number[],
  schedule: Schedule,
  microbatches: number,
): readonly StageGroup[] {
  const stages = counts.length
  const groups: StageGroup[] = []
  for (let index = 0; 2 * index < stages; index++) {
    const layers = ((counts[index] ?? 0) + (counts[stages - 1 - index] ?? 0)) / 2
    const before = groups.at(-1)
    if (before && !before.first && before.layers === layers) {
      groups[groups.length - 1] = { ...before, stages: before.stages + 2 }
    } else {
      const ends = index === 0
      const held = inFlight(schedule, index, stages, microbatches)
      groups.push({ first: ends, last: ends, layers, stages: 2, index, inFlight: held, held: 2 })
    }
  }
  return groups
}
