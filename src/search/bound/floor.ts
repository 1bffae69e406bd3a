/**
 * A floor under every layout of a mesh, whatever its schedule, policies and placement: the least of the floors of its ZeRO stages and
 * numbers of microbatches (choice-floor.ts), with the communication of the best conceivable placement.
 */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import { type Scale, setBatch } from '../../cost/compile/term.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import type { Mesh } from '../../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../sharding/states.ts'
import { type Microbatching, microbatchChoices, replicaZeroChoices, zeroChoices } from '../layouts/choices.ts'
import { choiceAsks } from './choice-asks.ts'
import { type KnownBefore, nothingKnown } from './known-before.ts'
import { meanShortBytes } from './layout-floor.ts'
import { roomFloors } from './room-floor.ts'
import type { TimeOf } from './turn-floor.ts'

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

export function meshFloors(model: CostModel, shared: KnownBefore = nothingKnown()): Floors {
  const { problem } = model
  const asks = choiceAsks(model, shared)
  const { mayCompute, mayMove, mayTake, apart } = asks
  const rooms = roomFloors(model, shared)

  /** What a replica computes and moves inside of it is known for all meshes with as large a one, so that most fall by arithmetic. */
  const inReplica = (mesh: Mesh, scale: Scale, limit: number, choices: readonly Microbatching[]) =>
    choices.filter((choice) => mayCompute(mesh, scale, limit, choice) && mayMove(mesh, scale, limit, choice))

  /** Told of each that may be within the limit, until it wants no more; what its ZeRO stage moves is summed up. */
  const visitHopeful = (mesh: Mesh, scale: Scale, limit: number, visit: Visitor): void => {
    const choices = inReplica(mesh, scale, limit, microbatchChoices(mesh, problem))
    if (choices.length === 0) return
    asks.stand(mesh, scale)
    const least = Math.min(...choices.map(({ sequences }) => sequences))
    setBatch(scale, least)
    const unlimited = limit === noLimit
    const tried = zeroChoices(mesh, problem)
    const shortOf = unlimited ? null : meanShortBytes(model, mesh, scale)
    const fitting = shortOf ? tried.filter((stage) => shortOf(stageModel(model, stage)) <= 0) : tried
    if (fitting.length === 0) return
    for (const costs of model.prices.bestCases(mesh)) {
      for (const zeroStage of fitting) {
        const holds = (choice: Microbatching, within = limit) =>
          rooms.within(mesh, scale, within, choice, { costs, zeroStage })
        // Room says more than times, and takes no sums, where what it needs of the replica is known.
        const soon = (choice: Microbatching) =>
          mesh.pipeline === 1 || !rooms.knows(mesh, choice) || holds(choice)
        const left = unlimited ? choices : choices.filter(soon)
        if (left.length === 0) continue
        asks.sumUp(mesh, zeroStage, scale, costs)
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
    turn: asks.turn,
    of: (mesh, scale) => {
      asks.stand(mesh, scale)
      const choices = microbatchChoices(mesh, problem)
      // Without stages nothing waits, and more microbatches only move more.
      const asked = mesh.pipeline > 1 ? choices : choices.filter(({ microbatches }) => microbatches === 1)
      let least = noLimit
      for (const costs of model.prices.bestCases(mesh)) {
        least = asks.leastOf(mesh, scale, asked, costs, least)
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
        floors.set(at, Math.min(floors.get(at) ?? noLimit, asks.batchFloor(mesh, scale, choice, costs)))
        return true
      })
      if (floors.size === 0) return null
      return (zeroStage, microbatches) => floors.get(key(zeroStage, microbatches)) ?? noLimit
    },
    mayCompute: (mesh, scale, limit, asked) => asked.some((choice) => mayCompute(mesh, scale, limit, choice)),
    mayBe: (mesh, scale, limit, asked) => {
      const hopeful = inReplica(mesh, scale, limit, asked)
      if (hopeful.length === 0) return false
      asks.stand(mesh, scale)
      const choices = hopeful.filter((choice) => rooms.mayHold(mesh, limit, choice))
      if (choices.length === 0) return false
      const mayTakeIn = (zeroStage: ZeroStage, costs: NetworkCosts) => {
        asks.sumUp(mesh, zeroStage, scale, costs)
        return choices.some(
          (choice) =>
            mayTake(mesh, scale, limit, choice, costs) &&
            rooms.ofReplica(mesh, scale, limit - apart(mesh, choice), choice, costs),
        )
      }
      const stages = replicaZeroChoices(mesh, problem)
      return model.prices.bestCases(mesh).some((costs) => stages.some((stage) => mayTakeIn(stage, costs)))
    },
  }
}
