/**
 * Cuts of a model's layers into stages with a floor under each: that of its longest stage, in arithmetic and overhead alone, with c a
 * layer, h the head, k the layers on the last stage and v virtual stages,
 *
 *   t_k = max(k·c + h, n_k·c)      n_k the most layers of another stage
 *   floor = (m - 1/v)·t_k + (L·c + h)/v, or m·t_k where the backward pass is split
 *
 * Where a chip holds two stages, each counts as the mean of the two. Where layers differ, each kind has its own c.
 */
import { blend } from '../../cost/compile/composed.ts'
import { layerOverhead } from '../../cost/compute/overhead.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import { type StageGroup, withMicrobatches } from '../../cost/step/stages.ts'
import { once } from '../../known.ts'
import { denseLayer, sparseLayer } from '../../model/composition.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Seconds } from '../../units.ts'
import type { GroupedCut } from './alike-cuts.ts'
import type { UnlikeCut } from './unlike-cuts.ts'

export interface StageCut {
  readonly stageLayers: readonly number[]
  readonly floor: Seconds
  /** Made when it is asked for, as most cuts fall by their floors. */
  readonly groups: () => readonly StageGroup[]
}

interface TimedCuts {
  /** What the head takes, in layers. */
  readonly headLayers: number
  readonly alike: (cut: GroupedCut) => StageCut
  readonly unlike: (cut: UnlikeCut) => StageCut
}

export function timedCuts(
  model: CostModel,
  stages: number,
  schedule: Schedule,
  microbatches: number,
  compute: ComputeNumbers,
): TimedCuts {
  const { layers } = model.problem.model
  const timeOf = ({ forward, backward }: ComputeNumbers, overhead: Seconds) =>
    forward + Math.min(...backward) + 2 * overhead
  const layer = timeOf(compute, model.layerOverhead)
  const [dense, sparse] = [denseLayer, sparseLayer].map((kind) =>
    timeOf(compute.of?.(kind) ?? compute, layerOverhead(model.problem, kind)),
  )
  const head = compute.headForward + compute.headBackward
  const { split, stagesPerChip } = scheduleRow(schedule)
  const { virtualStages } = schedule
  const paired = stagesPerChip === 2
  const filled = (groups: readonly StageGroup[]) =>
    groups.map((group) => withMicrobatches(group, schedule, stages, microbatches))
  /** The floor of a step, from the time of its longest stage (or chip with two stages) and that of all of them together. */
  const floorOf = (longest: Seconds, all: Seconds): Seconds => {
    const floor = split
      ? microbatches * longest
      : (microbatches - 1 / virtualStages) * longest + all / virtualStages
    // Added up in another order than a step, so rounding must not put it above one.
    return floor * (1 - 1e-12)
  }
  return { headLayers: head / layer, alike, unlike }

  function unlike({ stageLayers: counts, groups }: UnlikeCut): StageCut {
    const times = groups.map(({ composition, last, held, layers: own }) => {
      const each = composition ? blend(composition, dense ?? layer, sparse ?? layer) : layer
      return own * each + (last ? head / held : 0)
    })
    const all = groups.reduce((sum, group, at) => sum + group.stages * (times[at] ?? 0), 0)
    return { stageLayers: counts, floor: floorOf(Math.max(...times), all), groups: () => filled(groups) }
  }

  function alike({ stageLayers: counts, groups }: GroupedCut): StageCut {
    let longest = 0
    counts.forEach((own, stage) => {
      const mirror = counts.length - 1 - stage
      const ends = mirror === 0 || (paired && stage === 0)
      const mean = paired ? (own + (counts[mirror] ?? own)) / 2 : own
      longest = Math.max(longest, mean * layer + (ends ? head / stagesPerChip : 0))
    })
    return {
      stageLayers: counts,
      floor: floorOf(longest, layers * layer + head),
      groups: once(() => filled(groups)),
    }
  }
}
