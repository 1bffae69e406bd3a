/** What the schedules of one mesh, microbatch and ZeRO stage have in common: memory, and traffic by placement. */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import { type RoutedOverlap, routedOverlap } from '../../cost/communication/traffic.ts'
import type { StageModel } from '../../cost/compile/stage-model.ts'
import type { Scale } from '../../cost/compile/term.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { type Activations, memoryNumbers, type States } from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { type ComputeNumbers, type TrafficNumbers, trafficNumbers } from '../../cost/step/microbatch.ts'
import { type UpdateTime, updateTimes } from '../../cost/step/update-time.ts'
import { known, remembered } from '../../known.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { PlacedCosts } from './placed-costs.ts'

export interface StageNumbers {
  readonly compute: ComputeNumbers
  readonly memory: MemoryNumbers
  readonly update: UpdateTime
  readonly places: PlacedCosts
  readonly traffics: (schedule: Schedule, microbatches: number) => Traffics
}

export interface Traffics {
  /** Traffic on the best conceivable placements. */
  readonly best: readonly TrafficNumbers[]
  readonly under: (costs: NetworkCosts) => TrafficNumbers
}

export interface Asked extends Pick<StageNumbers, 'compute' | 'places'> {
  readonly zeroStage: ZeroStage
  /** Where they are known already: what the microbatch leaves in memory, and the states of the mesh. */
  readonly activations?: Activations
  readonly states?: States
}

export function stageNumbers(
  model: CostModel,
  scale: Scale,
  { zeroStage, compute, places, activations, states }: Asked,
): StageNumbers {
  const stage = stageModel(model, zeroStage)
  const byShare = new Map<number, Traffics>()
  return {
    compute,
    memory: memoryNumbers(model, stage, scale, activations, states),
    update: updateTimes(model, stage, scale),
    places,
    traffics: (schedule, microbatches) => {
      const routed = routedOverlap(scheduleRow(schedule), microbatches, model.problem.assumptions)
      return known(byShare, routed.share, () => trafficsOf(model, stage, scale, places, routed))
    },
  }
}

function trafficsOf(
  model: CostModel,
  stage: StageModel,
  scale: Scale,
  places: PlacedCosts,
  routed: RoutedOverlap,
): Traffics {
  const under = (costs: NetworkCosts) => trafficNumbers(model, stage, scale, costs, routed)
  return { best: places.anywhere.map(under), under: remembered(under) }
}
