/** What the schedules of one mesh, microbatch and ZeRO stage have in common: memory, and traffic by placement. */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import { type RoutedOverlap, routedOverlap } from '../../cost/communication/traffic.ts'
import type { StageModel } from '../../cost/compile/stage-model.ts'
import type { Scale } from '../../cost/compile/term.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { type Activations, memoryNumbers, type States } from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { type ComputeNumbers, type TrafficNumbers, trafficNumbers } from '../../cost/step/microbatch.ts'
import { type Placement, placements } from '../../hardware/network/placement.ts'
import { known, once, remembered } from '../../known.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import { axes, type Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'

/** A placement with its costs by axis set. */
export interface Placed {
  readonly placement: Placement
  readonly costs: NetworkCosts
  /** Index of the way in which it is launched. */
  readonly way: number
}

export interface PlacedCosts {
  readonly best: readonly NetworkCosts[]
  /** One placement for each way to launch them: the order of ranks, or how axes cross slices. */
  readonly ways: () => readonly Placement[]
  /** Every placement, priced when first asked for. */
  readonly all: () => readonly Placed[]
}

/** Placements are listed when they are first asked for, as most meshes fall by what they can be at best. */
export function placedCosts(model: CostModel, mesh: Mesh, given?: readonly Placement[]): PlacedCosts {
  const listed = once(() => {
    const places = given ?? placements(model.problem.cluster.network, mesh)
    const ranks = places.map(ranksOf)
    return { places, ranks, distinct: [...new Set(ranks)] }
  })
  return {
    best: model.prices.bestCases(mesh),
    ways: once(() => {
      const { places, ranks, distinct } = listed()
      return distinct.flatMap((way) => places[ranks.indexOf(way)] ?? [])
    }),
    all: once(() => {
      const { places, ranks, distinct } = listed()
      return places.map((placement, at) => ({
        placement,
        costs: model.prices.placed(placement, mesh),
        way: distinct.indexOf(ranks[at] ?? ''),
      }))
    }),
  }
}

function ranksOf({ groups }: Placement): string {
  return axes
    .map((axis) => {
      const group = groups[axis]
      return group.kind === 'torus' ? group.slices : group.spans.map(({ stride }) => stride).join()
    })
    .join(' ')
}

export interface StageNumbers {
  readonly stage: StageModel
  readonly compute: ComputeNumbers
  readonly memory: MemoryNumbers
  readonly places: PlacedCosts
  readonly traffics: (schedule: Schedule, microbatches: number) => Traffics
}

export interface Traffics {
  /** Traffic on the best conceivable placements. */
  readonly best: readonly TrafficNumbers[]
  readonly on: (place: Placed) => TrafficNumbers
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
    stage,
    compute,
    memory: memoryNumbers(model, stage, scale, activations, states),
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
  return { best: places.best.map(under), on: remembered(({ costs }: Placed) => under(costs)) }
}
