/**
 * A floor under every layout of a mesh, whatever its schedule, policies and placement: the least of the floors of its ZeRO stages and
 * numbers of microbatches (choice-floor.ts), with the communication of the best conceivable placement.
 */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import {
  addBuckets,
  addScaled,
  createTraffic,
  exposedAt,
  type Traffic,
} from '../../cost/communication/traffic.ts'
import type { Window } from '../../cost/compile/compile.ts'
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { computeTime } from '../../cost/compute/compute.ts'
import type { CostModel } from '../../cost/model.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { score } from '../layouts/candidate.ts'
import { type Microbatching, microbatchChoices, zeroChoices } from '../layouts/choices.ts'
import { byReplica } from './by-replica.ts'
import { choiceFloors, type Moved, type Work } from './choice-floor.ts'
import { fillSums, mostRoutedOverlap, ofBatch, type Sums, stageBuckets } from './floor-sums.ts'
import { meanShortBytes } from './layout-floor.ts'
import { type OnAnyNetwork, roomFloors } from './room-floor.ts'

export interface Floors {
  /** The floor under every layout of a mesh. */
  readonly of: (mesh: Mesh, scale: Scale) => number
  /** The floors under the layouts of each of its ZeRO stages and numbers of microbatches. */
  readonly within: (mesh: Mesh, scale: Scale) => ChoiceFloor
  /**
   * Whether any layout may be as good as the limit, by a closer floor and by the memory that even the leanest policy takes. It takes longer
   * to ask, and is worth it where the other floor does not decide.
   */
  readonly hopeful: (mesh: Mesh, scale: Scale, limit: number) => boolean
  /** The same for given microbatches, with one ZeRO stage's communication standing for all, and whatever states take. */
  readonly mayBe: (mesh: Mesh, scale: Scale, limit: number, choices: readonly Microbatching[]) => boolean
}

export type ChoiceFloor = (zeroStage: ZeroStage, microbatches: number) => number

export function meshFloors(model: CostModel, shared?: OnAnyNetwork): Floors {
  const { assumptions, model: transformer } = model.problem
  const { layers } = transformer
  const works = byReplica<Work>({ pipelined: false })
  const moves = byReplica<Moved>({ pipelined: false })
  const { together, oneByOne, splits, leastTurns, splitsAny } = choiceFloors(model.problem)
  const beside = {
    assumptions,
    experts: transformer.experts,
    routedOverlap: mostRoutedOverlap(model.problem),
  }
  const sum = () => createTraffic(model.resources)
  const sums: Sums = [sum(), sum(), sum(), sum(), sum(), sum()]
  const stages = model.stages.map((stage) => stageBuckets(stage, model))

  const rooms = roomFloors(model, shared)
  const workOf = (mesh: Mesh, sequences: number, scale: Scale): Work =>
    works(mesh, sequences, () => {
      setBatch(scale, sequences)
      const [stage] = model.stages
      const time = (products: Window['products'] = []) => computeTime(products, scale, model.rates)
      const half = (layer: Window | undefined, head: Window | undefined) =>
        layers * (time(layer?.products) + model.layerOverhead) + time(head?.products)
      const gradients = model.weightGradients
      return {
        forward: half(stage?.layer.forward, stage?.head.forward),
        backward: half(model.leastBackward, stage?.head.backward),
        weightGradients: splitsAny ? layers * time(gradients.layer) + time(gradients.head) : 0,
      }
    })

  const movedBy = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts): Moved =>
    moves(mesh, sequences, () => {
      setBatch(scale, sequences)
      const [stage] = model.stages
      const half = (layer: Window | undefined, head: Window | undefined): Traffic => {
        const traffic = createTraffic(model.resources)
        const one = createTraffic(model.resources)
        addBuckets(traffic, ofBatch(head), scale, costs, beside)
        addBuckets(one, ofBatch(layer), scale, costs, beside)
        addScaled(traffic, one, layers)
        return traffic
      }
      return {
        forward: half(stage?.layer.forward, stage?.head.forward),
        backward: half(model.leastBackward, stage?.head.backward),
      }
    })

  const stand = (mesh: Mesh, scale: Scale) =>
    setMesh(scale, mesh, model.extents, assumptions.tokensDivideFreely, assumptions.choicesApart)
  // Sums are added in another order than a layout's, so rounding must not put the floor above it.
  const whole = (least: number) => (least + score(model.stepOverhead, model.stepOverhead)) * (1 - 1e-12)
  const visitChoices = (
    mesh: Mesh,
    scale: Scale,
    visit: (zeroStage: ZeroStage, microbatches: number, floor: number) => void,
  ): void => {
    stand(mesh, scale)
    const choices = microbatchChoices(mesh, model.problem)
    const [first] = choices
    if (!first) return
    const sequences = first.sequences * first.microbatches
    const work = workOf(mesh, sequences, scale)
    for (const costs of model.prices.bestCases(mesh)) {
      const moved = movedBy(mesh, sequences, scale, costs)
      for (const zeroStage of zeroChoices(mesh, model.problem)) {
        const buckets = stages[zeroStage]
        if (!buckets) continue
        fillSums(sums, buckets, mesh, scale, costs)
        for (const choice of choices) {
          visit(zeroStage, choice.microbatches, whole(together(work, moved, sums, choice, mesh)))
        }
      }
    }
  }
  /** Asks without communication, which takes longer to compute. */
  const mayCompute = (mesh: Mesh, scale: Scale, limit: number, choice: Microbatching): boolean => {
    const { forward, backward } = workOf(mesh, choice.sequences, scale)
    const turns = choice.microbatches + (splits(mesh, choice) ? 0 : leastTurns(mesh, choice))
    return whole((turns * (forward + backward)) / mesh.pipeline) <= limit
  }
  const mayTake = (mesh: Mesh, scale: Scale, limit: number, choice: Microbatching, costs: NetworkCosts) => {
    if (!mayCompute(mesh, scale, limit, choice)) return false
    const sequences = splits(mesh, choice) ? choice.sequences * choice.microbatches : choice.sequences
    const floor = splits(mesh, choice) ? together : oneByOne
    const moved = movedBy(mesh, sequences, scale, costs)
    return whole(floor(workOf(mesh, sequences, scale), moved, sums, choice, mesh)) <= limit
  }
  return {
    of: (mesh, scale) => {
      let least = Number.POSITIVE_INFINITY
      visitChoices(mesh, scale, (_stage, _microbatches, floor) => {
        least = Math.min(least, floor)
      })
      return least
    },
    within: (mesh, scale) => {
      const floors = new Map<number, number>()
      const key = (zeroStage: ZeroStage, microbatches: number) => zeroStages.length * microbatches + zeroStage
      visitChoices(mesh, scale, (zeroStage, microbatches, floor) => {
        const at = key(zeroStage, microbatches)
        floors.set(at, Math.min(floors.get(at) ?? Number.POSITIVE_INFINITY, floor))
      })
      return (zeroStage, microbatches) => floors.get(key(zeroStage, microbatches)) ?? 0
    },
    hopeful: (mesh, scale, limit) => {
      stand(mesh, scale)
      const choices = microbatchChoices(mesh, model.problem).filter((choice) =>
        mayCompute(mesh, scale, limit, choice),
      )
      if (choices.length === 0) return false
      const cases = model.prices.bestCases(mesh)
      return zeroChoices(mesh, model.problem).some((zeroStage) => {
        const stage = model.stages[zeroStage]
        const buckets = stages[zeroStage]
        if (!stage || !buckets) return true
        return cases.some((costs) => {
          fillSums(sums, buckets, mesh, scale, costs)
          return choices.some((choice) => {
            if (!mayTake(mesh, scale, limit, choice, costs)) return false
            setBatch(scale, choice.sequences)
            return (
              meanShortBytes(model, mesh, stage, scale) <= 0 &&
              rooms.within(mesh, scale, limit - apart(mesh, choice), choice, { costs, zeroStage })
            )
          })
        })
      })
    },
    mayBe: (mesh, scale, limit, asked) => {
      stand(mesh, scale)
      const choices = asked.filter((choice) => mayCompute(mesh, scale, limit, choice))
      const [buckets] = stages
      if (!buckets || choices.length === 0) return choices.length > 0
      return model.prices.bestCases(mesh).some((costs) => {
        fillSums(sums, buckets, mesh, scale, costs)
        return choices.some(
          (choice) =>
            mayTake(mesh, scale, limit, choice, costs) &&
            rooms.ofReplica(mesh, scale, limit - apart(mesh, choice), choice, costs),
        )
      })
    },
  }

  /** Time of weights and gradients that may not overlap, where there is only one stage. */
  function apart({ pipeline }: Mesh, { microbatches }: Microbatching): Seconds {
    if (pipeline > 1) return 0
    const [forwardEach = 0, backwardEach = 0, once = 0, onceBack = 0] = sums.map((sum) => sum[exposedAt] ?? 0)
    return (microbatches * (forwardEach + backwardEach) + once + onceBack) * (1 - 1e-12)
  }
}
