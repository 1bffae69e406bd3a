/**
 * How the layers lie on pipeline stages, and how many microbatches each stage holds.
 *
 * The first stage also embeds, the last also unembeds and takes the loss. So a cut is named by the layers of the last
 * stage: the others share the rest as evenly as they can, the first of them, which hold the most microbatches, taking
 * fewer. 126 layers on 16 stages with 7 on the last are 7, 8, ..., 8, 7. Where layers differ, the others share them by their
 * FLOPs (search/stages/unlike-cuts.ts), and stages are alike when they have as many layers of each kind. The search chooses among
 * the cuts (search/stages/stage-cuts.ts).
 *
 * The schedule says how many microbatches a stage holds (recipe/schedules.ts). Where a chip holds two stages, i and p - 1 - i,
 * and runs half of the microbatches on each, it counts as a stage of their mean, and layers are cut over such pairs.
 */
import { type Composition, sameComposition } from '../../model/composition.ts'
import { inFlight, type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Seconds } from '../../units.ts'
import { slowdowns } from './in-step.ts'

/** Stages (or chips of a pipeline) that are alike, and the index of the first of them. */
export interface StageGroup {
  readonly first: boolean
  readonly last: boolean
  /** Layers that a microbatch passes through on this stage. */
  readonly layers: number
  readonly stages: number
  readonly index: number
  readonly inFlight: number
  /** Whether gradients of several microbatches are summed one after the other, without a pipeline. */
  readonly sums: boolean
  /** Stages whose weights a chip holds; each runs 1/held of the microbatches. */
  readonly held: 1 | 2
  /** How many times longer, at least 1, its microbatches take because chips wait in turn for the longest virtual stage (in-step.ts). */
  readonly slowdown: number
  /** The kinds of its layers; null where all stages have the model's average layer. */
  readonly composition: Composition | null
}

/** The only stage, with all layers on it and one microbatch in flight. */
export function onlyStage(layers: number, composition: Composition | null): StageGroup {
  return {
    ...{ first: true, last: true, layers, stages: 1, index: 0, inFlight: 1, held: 1, slowdown: 1 },
    ...{ sums: false, composition },
  }
}

/** All of a stage that depends on how many microbatches there are. */
function ofMicrobatches(
  schedule: Schedule,
  index: number,
  stages: number,
  microbatches: number,
): Pick<StageGroup, 'inFlight' | 'sums'> {
  return {
    inFlight: inFlight(schedule, index, stages, microbatches),
    sums: microbatches > 1 && !scheduleRow(schedule).pipelined,
  }
}

/** The group with other microbatches; each field is named, as this is made for every cut. */
export function withMicrobatches(
  { first, last, layers, stages: alike, index, held, slowdown, composition }: StageGroup,
  schedule: Schedule,
  stages: number,
  microbatches: number,
): StageGroup {
  const { inFlight, sums } = ofMicrobatches(schedule, index, stages, microbatches)
  return { first, last, layers, stages: alike, index, inFlight, sums, held, slowdown, composition }
}

/** All that a step depends on of how layers are laid out. */
export interface Layers {
  readonly groups: readonly StageGroup[]
  readonly schedule: Schedule
  readonly microbatches: number
  /** Time of the optimizer's update on the fullest stage. */
  readonly update: Seconds
}

/** The fewest layers of a stage at either end, where the embedding or the loss may be a chunk without layers. */
export function leastAtEnds(virtualStages: number): number {
  return Math.max(1, virtualStages - 1)
}

/** Chunks that may have a layer fewer than the others: the first, with the embedding, and the last, with the loss. */
const endChunks = 2

/** So that each chunk has a layer, but for the first and the last of all. */
export function mostVirtualStages(layers: number, stages: number): number {
  const withEnds = Math.floor((layers + endChunks) / stages)
  return withEnds > 1 ? withEnds : Math.floor(layers / stages)
}

/** Whether all chunks can have as many layers, but for the first and the last of all, which may have one fewer. */
export function dividesIntoChunks(layers: number, chunks: number): boolean {
  const over = layers % chunks
  return over === 0 || chunks - over <= endChunks
}

/** Layers by stage, `last` of them on the last; null where a stage would have fewer than `least`, or the first or the last fewer than `ends`. */
export function stageLayers(
  layers: number,
  stages: number,
  least: number,
  last: number,
  ends = least,
): readonly number[] | null {
  if (stages === 1) return last === layers ? [layers] : null
  const others = stages - 1
  const each = Math.floor((layers - last) / others)
  const fewer = others - (layers - last - each * others)
  // The first of the others is the first of all.
  const inner = others === 1 ? least : fewer > 1 ? each : each + 1
  if (last < ends || each < ends || inner < least) return null
  return Array.from({ length: stages }, (_, stage) =>
    stage === others ? last : stage < fewer ? each : each + 1,
  )
}

/** Layers of the last stage for which the longest stage is shortest, the most where several tie; its head counts as `head` layers. */
export function evenLastLayers(
  layers: number,
  stages: number,
  least: number,
  head: number,
  ends = least,
): number | null {
  if (stages === 1) return layers < least ? null : layers
  if (layers < (stages - 2) * least + 2 * ends) return null
  let even = Math.floor(layers / stages)
  const longest = (last: number) => Math.max(last + head, Math.ceil((layers - last) / (stages - 1)))
  for (let last = even - 1; last >= ends && longest(last) < longest(even); last--) even = last
  return even
}

/** Layers by stage where a chip holds two stages: `last` are on the pair of first and last stage; the earlier stage of a pair gets the odd layer. */
export function mirroredLayers(layers: number, stages: number, last: number): readonly number[] | null {
  const pairs = stageLayers(layers, stages / 2, 2, last)
  if (!pairs) return null
  const fromEnds = [...pairs].reverse()
  return [
    ...fromEnds.map((count) => Math.ceil(count / 2)),
    ...[...fromEnds].reverse().map((count) => Math.floor(count / 2)),
  ]
}

export function stageGroups(
  counts: readonly number[],
  schedule: Schedule,
  microbatches: number,
  compositions: readonly Composition[] | null = null,
): readonly StageGroup[] {
  const stages = counts.length
  if (scheduleRow(schedule).stagesPerChip === 2)
    return mirroredGroups(counts, schedule, microbatches, compositions)
  const groups: Counted[] = []
  counts.forEach((layers, index) => {
    const first = index === 0
    const last = index === stages - 1
    const composition = compositions?.[index] ?? null
    const before = groups.at(-1)
    const alike = before?.layers === layers && sameComposition(before.composition, composition)
    if (before && alike && !before.first && !last) {
      before.stages++
    } else {
      groups.push({
        first,
        last,
        layers,
        stages: 1,
        index,
        ...ofMicrobatches(schedule, index, stages, microbatches),
        ...{ held: 1, slowdown: 1, composition },
      })
    }
  })
  const slower = slowdowns(groups, schedule.virtualStages, stages)
  return slower ? groups.map((group, at) => ({ ...group, slowdown: slower[at] ?? 1 })) : groups
}

/** A group to which stages are still added. */
interface Counted extends Omit<StageGroup, 'stages'> {
  stages: number
}

/** Groups for schedules in which chips i and p - 1 - i hold the same two stages. */
function mirroredGroups(
  counts: readonly number[],
  schedule: Schedule,
  microbatches: number,
  compositions: readonly Composition[] | null,
): readonly StageGroup[] {
  const stages = counts.length
  const groups: Counted[] = []
  for (let index = 0; 2 * index < stages; index++) {
    const layers = ((counts[index] ?? 0) + (counts[stages - 1 - index] ?? 0)) / 2
    const composition = compositions?.[index] ?? null
    const before = groups.at(-1)
    const alike = before?.layers === layers && sameComposition(before.composition, composition)
    if (before && alike && !before.first) {
      before.stages += 2
    } else {
      const ends = index === 0
      groups.push({
        ...{ first: ends, last: ends, layers, stages: 2, index },
        ...ofMicrobatches(schedule, index, stages, microbatches),
        ...{ held: 2, slowdown: 1, composition },
      })
    }
  }
  return groups
}
