/**
 * A floor under every layout of a mesh, whatever its schedule, policies and placement: the least of the floors of its ZeRO stages and
 * numbers of microbatches (choice-floor.ts), with the communication of the best conceivable placement.
 */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import { createTraffic, exposedAt, type Traffic } from '../../cost/communication/traffic.ts'
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { score } from '../layouts/candidate.ts'
import { type Microbatching, microbatchChoices, replicaZeroChoices, zeroChoices } from '../layouts/choices.ts'
import { byReplica } from './by-replica.ts'
import { choiceFloors } from './choice-floor.ts'
import { computeFloor } from './compute-floor.ts'
import { fillSums, type StageBuckets, type Sums, stageBuckets } from './floor-sums.ts'
import { meanShortBytes } from './layout-floor.ts'
import { movedFloor } from './moved-floor.ts'
import { nothingKnown, type OnAnyNetwork } from './on-any-network.ts'
import { roomFloors } from './room-floor.ts'
import { leastTime, type TimeOf, turnFloor } from './turn-floor.ts'

export interface Floors {
  /** The floor under every layout of a mesh. */
  readonly of: (mesh: Mesh, scale: Scale) => number
  /**
   * Whether any layout may be as good as the limit by a closer floor, and within the budget by less memory than even the leanest
   * policy takes: dearer to ask for where the other floor says it already.
   */
  readonly hopeful: (mesh: Mesh, scale: Scale, limit: number) => boolean
  /** The same of each ZeRO stage and number of microbatches: null where none may be. Without a limit none is asked whether it fits. */
  readonly within: (mesh: Mesh, scale: Scale, limit: number) => ChoiceFloor | null
  /** The same of given microbatches, for what they compute alone; or of a replica, with states sharded over as many as there may be. */
  readonly mayCompute: (mesh: Mesh, scale: Scale, limit: number, choices: readonly Microbatching[]) => boolean
  readonly mayBe: (mesh: Mesh, scale: Scale, limit: number, choices: readonly Microbatching[]) => boolean
  /** What a microbatch computes and moves inside its replica, with nothing recomputed, on a chip that had all layers. */
  readonly turn: TimeOf
}

/** What no layout of a ZeRO stage and number of microbatches is under: infinite where none is as good as the limit, or fits. */
export type ChoiceFloor = (zeroStage: ZeroStage, microbatches: number) => number

const noLimit = Number.POSITIVE_INFINITY

type Visitor = (zeroStage: ZeroStage, choice: Microbatching, costs: NetworkCosts) => boolean

export function meshFloors(model: CostModel, shared: OnAnyNetwork = nothingKnown()): Floors {
  const { assumptions } = model.problem
  const ofChoice = choiceFloors(model.problem, shared.turns)
  const { together, oneByOne, splits, turnsOf, splitsAny } = ofChoice
  const work = computeFloor(model, shared.works, { splits: splitsAny })
  const sum = () => createTraffic(model.resources)
  const sums: Sums = {
    ...{ forwardEach: sum(), backwardEach: sum(), once: sum(), onceBack: sum() },
    ...{ forward: sum(), backward: sum() },
  }
  const stages = model.stages.map((stage) => stageBuckets(stage, model))
  const bucketsOf = (zeroStage: ZeroStage): StageBuckets => {
    const buckets = stages[zeroStage]
    if (!buckets) throw new RangeError(`ZeRO stage ${zeroStage} was not compiled`)
    return buckets
  }
  const rooms = roomFloors(model, shared)
  const movedBy = movedFloor(model)

  const stand = (mesh: Mesh, scale: Scale) => setMesh(scale, mesh, model.extents, assumptions)
  // Sums are added in another order than a layout's, so rounding must not put the floor above it.
  const whole = (least: number) => (least + score(model.stepOverhead, model.stepOverhead)) * (1 - 1e-12)
  /** All microbatches in one window: the sums are those of the ZeRO stage. */
  const batchFloor = (mesh: Mesh, scale: Scale, choice: Microbatching, costs: NetworkCosts): number => {
    const sequences = choice.sequences * choice.microbatches
    const own = work(mesh, sequences, scale)
    const moved = movedBy(mesh, sequences, scale, costs)
    return whole(together(own, moved, sums, choice, mesh))
  }
  /** By what one microbatch takes at least (turn-floor.ts). */
  const hopefulBy = (least: TimeOf) => {
    return (mesh: Mesh, scale: Scale, limit: number, choice: Microbatching) => {
      if (limit === noLimit || assumptions.tokensDivideFreely) return true
      const most = (limit * (1 + 1e-12) - model.stepOverhead) * mesh.pipeline
      return turnsOf(mesh, choice) * least(mesh, choice.sequences, scale) <= most
    }
  }
  const computed: TimeOf = (mesh, sequences, scale) => {
    const { forward, backward } = work(mesh, sequences, scale)
    return forward + backward
  }
  const turn = turnFloor(model, work, movedBy)
  const mayCompute = hopefulBy(leastTime(computed, shared.times))
  const mayMove = hopefulBy(leastTime(turn, byReplica({ pipelined: false })))
  const mayTake = (mesh: Mesh, scale: Scale, limit: number, choice: Microbatching, costs: NetworkCosts) => {
    if (splits(mesh, choice)) return batchFloor(mesh, scale, choice, costs) <= limit
    const { sequences } = choice
    const own = work(mesh, sequences, scale)
    const moved = movedBy(mesh, sequences, scale, costs)
    return whole(oneByOne(own, moved, sums, choice, mesh)) <= limit
  }
  /** Told of each that may be within the limit, until it wants no more. The sums are those of it. */
  const visitHopeful = (mesh: Mesh, scale: Scale, limit: number, visit: Visitor): void => {
    const all = microbatchChoices(mesh, model.problem)
    const choices = all.filter((choice) => mayCompute(mesh, scale, limit, choice))
    if (choices.length === 0) return
    stand(mesh, scale)
    const least = Math.min(...choices.map(({ sequences }) => sequences))
    setBatch(scale, least)
    const fits = (zeroStage: ZeroStage) =>
      limit === noLimit || meanShortBytes(model, mesh, stageModel(model, zeroStage), scale) <= 0
    const fitting = zeroChoices(mesh, model.problem).filter(fits)
    if (fitting.length === 0) return
    const unlimited = limit === noLimit
    for (const costs of model.prices.bestCases(mesh)) {
      for (const zeroStage of fitting) {
        const holds = (choice: Microbatching, within = limit) =>
          rooms.within(mesh, scale, within, choice, { costs, zeroStage })
        // Room says more than times, and takes no sums, where what it needs of the replica is known.
        const soon = (choice: Microbatching) =>
          mesh.pipeline === 1 || !rooms.knows(mesh, choice) || holds(choice)
        const left = unlimited ? choices : choices.filter(soon)
        if (left.length === 0) continue
        fillSums(sums, bucketsOf(zeroStage), mesh, scale, costs)
        for (const choice of left) {
          const may =
            unlimited ||
            (mayTake(mesh, scale, limit, choice, costs) && holds(choice, limit - apart(mesh, choice)))
          if (may && !visit(zeroStage, choice, costs)) return
        }
      }
    }
  }
  return {
    turn,
    of: (mesh, scale) => {
      stand(mesh, scale)
      const choices = microbatchChoices(mesh, model.problem)
      const [{ sequences, microbatches } = { sequences: 0, microbatches: 0 }] = choices
      // Without stages nothing waits, and more microbatches only move more.
      const asked = mesh.pipeline > 1 ? choices : choices.filter(({ microbatches: count }) => count === 1)
      // However they are divided, as many sequences are computed and moved.
      const own = work(mesh, sequences * microbatches, scale)
      let least = noLimit
      for (const costs of model.prices.bestCases(mesh)) {
        const moved = movedBy(mesh, sequences * microbatches, scale, costs)
        for (const zeroStage of zeroChoices(mesh, model.problem)) {
          fillSums(sums, bucketsOf(zeroStage), mesh, scale, costs)
          const unbroken = ofChoice.unbroken(own, moved, sums, mesh)
          for (const choice of asked) {
            if (whole(unbroken + ofChoice.waiting(own, choice, mesh)) >= least) continue
            least = Math.min(least, whole(together(own, moved, sums, choice, mesh)))
          }
        }
      }
      return least
    },
    hopeful: (mesh, scale, limit) => {
      let hopeful = false
      visitHopeful(mesh, scale, limit, () => {
        hopeful = true
        return false
      })
      return hopeful
    },
    within: (mesh, scale, limit) => {
      const floors = new Map<number, number>()
      const key = (zeroStage: ZeroStage, microbatches: number) => zeroStages.length * microbatches + zeroStage
      visitHopeful(mesh, scale, limit, (zeroStage, choice, costs) => {
        const at = key(zeroStage, choice.microbatches)
        const floor = batchFloor(mesh, scale, choice, costs)
        floors.set(at, Math.min(floors.get(at) ?? noLimit, floor))
        return true
      })
      if (floors.size === 0) return null
      return (zeroStage, microbatches) => floors.get(key(zeroStage, microbatches)) ?? noLimit
    },
    mayCompute: (mesh, scale, limit, asked) => asked.some((choice) => mayCompute(mesh, scale, limit, choice)),
    mayBe: (mesh, scale, limit, asked) => {
      const may = (choice: Microbatching) =>
        mayCompute(mesh, scale, limit, choice) && mayMove(mesh, scale, limit, choice)
      const hopeful = asked.filter(may)
      if (hopeful.length === 0) return false
      stand(mesh, scale)
      const choices = hopeful.filter((choice) => rooms.mayHold(mesh, limit, choice))
      if (choices.length === 0) return false
      const mayTakeIn = (zeroStage: ZeroStage, costs: NetworkCosts) => {
        fillSums(sums, bucketsOf(zeroStage), mesh, scale, costs)
        return choices.some(
          (choice) =>
            mayTake(mesh, scale, limit, choice, costs) &&
            rooms.ofReplica(mesh, scale, limit - apart(mesh, choice), choice, costs),
        )
      }
      const stages = replicaZeroChoices(mesh, model.problem)
      return model.prices.bestCases(mesh).some((costs) => stages.some((stage) => mayTakeIn(stage, costs)))
    },
  }

  /** Time of weights and gradients that may not overlap, where there is only one stage. */
  function apart({ pipeline }: Mesh, { microbatches }: Microbatching): Seconds {
    if (pipeline > 1) return 0
    const { forwardEach, backwardEach, once, onceBack } = sums
    const each = exposedOf(forwardEach) + exposedOf(backwardEach)
    return (microbatches * each + exposedOf(once) + exposedOf(onceBack)) * (1 - 1e-12)
  }
}

function exposedOf(sum: Traffic): Seconds {
  return sum[exposedAt] ?? 0
}
