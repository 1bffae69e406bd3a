/**
 * Cuts of layers that are all alike, by the layers on the last stage, with the groups of their stages. They hang on nothing but numbers of layers
 * and stages, so they are kept for all meshes and requests: chunks that are uneven take longer to group than a step takes to time.
 */
import {
  evenLastLayers,
  leastAtEnds,
  mirroredLayers,
  type StageGroup,
  stageGroups,
  stageLayers,
} from '../../cost/step/stages.ts'
import { known, remembered } from '../../known.ts'
import type { Composition } from '../../model/composition.ts'
import { lasting } from '../../recent.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'

export interface GroupedCut {
  readonly stageLayers: readonly number[]
  /** Groups for one microbatch, of which the number of microbatches changes nothing but what it says itself (`withMicrobatches`). */
  readonly groups: readonly StageGroup[]
}

export interface CutsByLast {
  /** Layers on the last stage of the most even cut, whose head counts as `head` layers; null where there are too few for so many stages. */
  readonly evenLast: (head: number) => number | null
  /** Null when a stage would have fewer layers than it must. */
  readonly of: (last: number) => GroupedCut | null
}

/** A search asks for up to 50 of them. Most have some five cuts; where the last stage may have any number of layers, one for each of those. */
const kept = lasting<CutsByLast>(100)
const mostCuts = 130

/** `freely` says that stages may have parts of layers, so that there is one cut, into equal stages. */
export function alikeCuts(layers: number, stages: number, schedule: Schedule, freely: boolean): CutsByLast {
  const { stagesPerChip } = scheduleRow(schedule)
  const key = [layers, stages, schedule.virtualStages, stagesPerChip, freely].join()
  return known(kept, key, () => {
    const { evenLast, of } = freely ? equalLayers(layers, stages) : layersByLast(layers, stages, schedule)
    const cut = (last: number) => {
      const counts = of(last)
      return counts && groupedCut(counts, schedule)
    }
    return { evenLast, of: remembered(cut, mostCuts) }
  })
}

/** Layers by stage. */
interface LayersByLast extends Pick<CutsByLast, 'evenLast'> {
  readonly of: (last: number) => readonly number[] | null
}

function equalLayers(layers: number, stages: number): LayersByLast {
  const each = layers / stages
  const counts = new Array<number>(stages).fill(each)
  return { evenLast: () => each, of: (last) => (last === each ? counts : null) }
}

/** As if layers were alike, whether or not they are. */
export function layersByLast(layers: number, stages: number, schedule: Schedule): LayersByLast {
  const { virtualStages } = schedule
  const paired = scheduleRow(schedule).stagesPerChip === 2
  // Pieces that layers are cut into, and the fewest layers of each and of those at the ends.
  const [pieces, least, ends] = paired
    ? [stages / 2, 2, 2]
    : [stages, virtualStages, leastAtEnds(virtualStages)]
  return {
    evenLast: (head) => evenLastLayers(layers, pieces, least, head, ends),
    of: (last) =>
      paired ? mirroredLayers(layers, stages, last) : stageLayers(layers, stages, least, last, ends),
  }
}

export function groupedCut(
  counts: readonly number[],
  schedule: Schedule,
  compositions: readonly Composition[] | null = null,
): GroupedCut {
  return { stageLayers: counts, groups: stageGroups(counts, schedule, 1, compositions) }
}
