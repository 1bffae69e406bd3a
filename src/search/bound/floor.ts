/**
 * A floor under every layout of a mesh, whatever its schedule, policies and placement: the work of the whole batch
 * spread evenly over the stages with nothing recomputed, the communication on the best conceivable placement, and the
 * bubble of the most virtual stages. What a layout trades against each other, it trades here too:
 *
 *   floor = min over ZeRO stages and microbatches m of
 *           window(C_f, A_f + m·P_f + W) + window(C_b, A_b + m·P_b + G) + (p-1)/(v·m) · (C_f + C_b) + overhead
 *
 * Schedules that split the backward pass (recipe/schedule-row.ts) fill k of m microbatches' weight gradients C_w into the bubble:
 *
 *           window(C_f, …) + window(C_b - k/m·C_w, …) + (p-1)/m · (a·C_f + b·(C_b - C_w))
 *
 * on the average stage, and no less than without any bubble; those that hide what experts are sent hide it here.
 *
 * A activations, those that are waited for and keys that go around a ring: of the whole batch, the same for any m; P the
 * weights and gradients that move every microbatch; W and G those that move once. All of what goes around a ring that may hide is
 * taken to find scores to hide behind. Windows of several microbatches take at least as long as one of their sums, because the
 * longest of sums is at most the sum of the longest. Left out: transfers between stages, the optimizer, the uneven
 * ends of the pipeline, and that small matmuls are slower.
 *
 * A closer one, which is dearer, knows the size of microbatches: with C and A of one of them, and t both of its windows,
 *
 *   (m-1)·t + window(C_f, A_f + P_f + W) + window(C_b, A_b + P_b + G) + (p-1)/v · t + overhead
 */

import type { NetworkCosts } from '../../cost/communication/network.ts'
import {
  addBuckets,
  addScaled,
  createTraffic,
  exposedAt,
  type Traffic,
  windowTime,
} from '../../cost/communication/traffic.ts'
import type { Window } from '../../cost/compile/compile.ts'
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { computeTime } from '../../cost/compute/compute.ts'
import { averageMemory } from '../../cost/memory/memory-numbers.ts'
import type { CostModel } from '../../cost/model.ts'
import { canRun, hasVirtualStages, scheduleRow, scheduleRows } from '../../recipe/schedule.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { score } from '../layouts/candidate.ts'
import { type Microbatching, microbatchChoices, triedSchedules, zeroChoices } from '../layouts/choices.ts'
import { fillSums, mostRoutedOverlap, ofBatch, type Sums, stageBuckets } from './floor-sums.ts'
import { meanShortBytes } from './layout-floor.ts'
import { type OnAnyNetwork, roomFloors } from './room-floor.ts'
import { waitingTurns } from './work-floor.ts'

export interface Floors {
  /** Of every layout of a mesh. */
  readonly of: (mesh: Mesh, scale: Scale) => number
  /** Of those of one of its ZeRO stages and numbers of microbatches. */
  readonly within: (mesh: Mesh, scale: Scale) => ChoiceFloor
  /**
   * Whether any layout may be as good as the limit by a closer floor, or by less memory than even the leanest policy takes:
   * dearer to ask for, and worth it where the other floor does not say.
   */
  readonly hopeful: (mesh: Mesh, scale: Scale, limit: number) => boolean
  /** The same of given microbatches, whatever states take, and of one ZeRO stage for all. */
  readonly mayBe: (mesh: Mesh, scale: Scale, limit: number, choices: readonly Microbatching[]) => boolean
}

export type ChoiceFloor = (zeroStage: ZeroStage, microbatches: number) => number

/** Of all layers and the ends, on a chip that had them all. */
interface Work {
  readonly forward: Seconds
  readonly backward: Seconds
  readonly weightGradients: Seconds
}

interface Moved {
  readonly forward: Traffic
  readonly backward: Traffic
}

export function meshFloors(model: CostModel, shared?: OnAnyNetwork): Floors {
  const { assumptions, model: transformer } = model.problem
  const { layers } = transformer
  const works = new Map<string, Work>()
  const moves = new Map<string, Moved>()
  const tried = triedSchedules(model.problem).map((name) => scheduleRow({ name }))
  const splitting = tried.filter(({ split }) => split !== null)
  const interleaving = scheduleRows.filter(hasVirtualStages)
  const beside = {
    assumptions,
    experts: transformer.experts,
    routedOverlap: mostRoutedOverlap(model.problem),
  }
  const sum = () => createTraffic(model.resources)
  const sums: Sums = [sum(), sum(), sum(), sum(), sum(), sum()]
  const stages = model.stages.map((stage) => stageBuckets(stage, model))

  const rooms = roomFloors(model, shared)
  const workOf = (mesh: Mesh, sequences: number, scale: Scale): Work => {
    const key = replicaKey(mesh, sequences)
    const known = works.get(key)
    if (known) return known
    setBatch(scale, sequences)
    const [stage] = model.stages
    const time = (products: Window['products'] = []) => computeTime(products, scale, model.rates)
    const half = (layer: Window | undefined, head: Window | undefined) =>
      layers * (time(layer?.products) + model.layerOverhead) + time(head?.products)
    const gradients = model.weightGradients
    const work: Work = {
      forward: half(stage?.layer.forward, stage?.head.forward),
      backward: half(model.leastBackward, stage?.head.backward),
      weightGradients: splitting.length === 0 ? 0 : layers * time(gradients.layer) + time(gradients.head),
    }
    works.set(key, work)
    return work
  }

  const movedBy = (mesh: Mesh, sequences: number, scale: Scale, costs: NetworkCosts): Moved => {
    const key = replicaKey(mesh, sequences)
    const known = moves.get(key)
    if (known) return known
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
    const moved: Moved = {
      forward: half(stage?.layer.forward, stage?.head.forward),
      backward: half(model.leastBackward, stage?.head.backward),
    }
    moves.set(key, moved)
    return moved
  }

  const stand = (mesh: Mesh, scale: Scale) =>
    setMesh(scale, mesh, model.extents, assumptions.tokensDivideFreely, assumptions.choicesApart)
  // Sums are added in another order than a layout's: rounding must not put the floor above it.
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
  const splits = (mesh: Mesh, { microbatches }: Microbatching) =>
    splitting.some((row) => canRun(row, mesh.pipeline, microbatches))
  /** Without what moves, which takes longer to say. */
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
              meanShortBytes(model, mesh, averageMemory(model, stage, scale)) <= 0 &&
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

  /** What may not overlap of what weights and gradients move, on the one stage that there is. */
  function apart({ pipeline }: Mesh, { microbatches }: Microbatching): Seconds {
    if (pipeline > 1) return 0
    const [forwardEach = 0, backwardEach = 0, once = 0, onceBack = 0] = sums.map((sum) => sum[exposedAt] ?? 0)
    return (microbatches * (forwardEach + backwardEach) + once + onceBack) * (1 - 1e-12)
  }

  /** Turns of a microbatch that a stage waits for the others, where they wait least. */
  function leastTurns({ pipeline }: Mesh, { microbatches }: Microbatching): number {
    const most = interleaving.reduce(
      (virtual, row) =>
        row.worthwhile(pipeline, microbatches) ? Math.max(virtual, row.virtualStages[1]) : virtual,
      1,
    )
    return waitingTurns(pipeline, most, layers)
  }

  /** Microbatch after microbatch, the work of each. */
  function oneByOne(work: Work, moved: Moved, all: Sums, choice: Microbatching, mesh: Mesh): number {
    const [forwardEach, backwardEach, once, onceBack, forward, backward] = all
    const share = 1 / mesh.pipeline
    forward.set(forwardEach)
    addScaled(forward, moved.forward, share)
    backward.set(backwardEach)
    addScaled(backward, moved.backward, share)
    const one = (bound: 'expected' | 'upper') =>
      windowTime(share * work.forward, forward, bound) + windowTime(share * work.backward, backward, bound)
    const [expected, upper] = [one('expected'), one('upper')]
    addScaled(forward, once, 1)
    addScaled(backward, onceBack, 1)
    const others = choice.microbatches - 1 + leastTurns(mesh, choice)
    return score(others * expected + one('expected'), others * upper + one('upper'))
  }

  /** All microbatches in one window, the work of the whole batch. */
  function together(whole: Work, moved: Moved, all: Sums, choice: Microbatching, mesh: Mesh): number {
    const [forwardEach, backwardEach, once, onceBack, forward, backward] = all
    const { microbatches } = choice
    const share = 1 / mesh.pipeline
    const work = {
      forward: share * whole.forward,
      backward: share * whole.backward,
      weightGradients: share * whole.weightGradients,
    }
    forward.set(once)
    addScaled(forward, moved.forward, share)
    addScaled(forward, forwardEach, microbatches)
    backward.set(onceBack)
    addScaled(backward, moved.backward, share)
    addScaled(backward, backwardEach, microbatches)
    const bubble = (leastTurns(mesh, choice) / microbatches) * (work.forward + work.backward)
    const time = (bound: 'expected' | 'upper') =>
      windowTime(work.forward, forward, bound) + windowTime(work.backward, backward, bound) + bubble
    const unsplit = score(time('expected'), time('upper'))
    if (splitting.length === 0 || mesh.pipeline === 1) return unsplit
    return splitting.reduce((least, row) => {
      const split = canRun(row, mesh.pipeline, microbatches) && row.split?.(mesh.pipeline, microbatches)
      if (!split) return least
      const { forwards, inputGradients, fills } = split
      const filled = (fills / microbatches) * work.weightGradients
      const inputs = inputGradients * (work.backward - work.weightGradients)
      const waits = ((mesh.pipeline - 1) / microbatches) * (forwards * work.forward + inputs)
      const splitTime = (bound: 'expected' | 'upper') => {
        const busy = windowTime(work.forward, forward, bound)
        const unfilled = windowTime(work.backward, backward, bound)
        return busy + Math.max(unfilled, windowTime(work.backward - filled, backward, bound) + waits)
      }
      return Math.min(least, score(splitTime('expected'), splitTime('upper')))
    }, unsplit)
  }
}

/** Replicas and stages beside each other do not matter to what one chip with all of the layers would do. */
function replicaKey(mesh: Mesh, sequences: number): string {
  const { tensor, tensor2, context, expert } = mesh
  return `${tensor} ${tensor2} ${context} ${expert} ${sequences / replicasOf(mesh)}`
}
