/**
 * What is asked of a number of microbatches on a mesh, from what takes least to what takes most: whether what they compute, and what they move
 * inside of a replica, may be within a limit (turn-floor.ts); then with all that moves under a ZeRO stage (choice-floor.ts).
 */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import { createTraffic, exposedAt, type Traffic } from '../../cost/communication/traffic.ts'
import { type Scale, setMesh } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import { known } from '../../known.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Seconds } from '../../units.ts'
import { score } from '../layouts/candidate.ts'
import { type Microbatching, zeroChoices } from '../layouts/choices.ts'
import { oneByOne, together, unbroken, waiting } from './choice-floor.ts'
import { choiceTurns } from './choice-turns.ts'
import { computeFloor } from './compute-floor.ts'
import { type StageBuckets, type StageSums, type Sums, stageBuckets, stageSums } from './floor-sums.ts'
import type { KnownBefore } from './known-before.ts'
import { movedBy, movedFloor } from './moved-floor.ts'
import { leastTime, type TimeOf, turnFloor } from './turn-floor.ts'

type May = (mesh: Mesh, scale: Scale, limit: number, choice: Microbatching) => boolean

/** A scale that is handed over holds the mesh, but for `mayCompute`, `mayMove` and `turn`. */
export interface ChoiceAsks {
  /** Puts a mesh into a scale. */
  readonly stand: (mesh: Mesh, scale: Scale) => void
  /** What a microbatch computes and moves inside its replica, with nothing recomputed, on a chip that had all layers. */
  readonly turn: TimeOf
  readonly mayCompute: May
  readonly mayMove: May
  /** Sums up what moves under a ZeRO stage, for what follows. */
  readonly sumUp: (mesh: Mesh, zeroStage: ZeroStage, scale: Scale, costs: NetworkCosts) => void
  readonly mayTake: (
    mesh: Mesh,
    scale: Scale,
    limit: number,
    choice: Microbatching,
    costs: NetworkCosts,
  ) => boolean
  /** All microbatches in one window. */
  readonly batchFloor: (mesh: Mesh, scale: Scale, choice: Microbatching, costs: NetworkCosts) => number
  /** Time of weights and gradients that may not overlap, where there is only one stage. */
  readonly apart: (mesh: Mesh, choice: Microbatching) => Seconds
  /** The least of all ZeRO stages, of choices that compute and move as many sequences. */
  readonly leastOf: (
    mesh: Mesh,
    scale: Scale,
    choices: readonly Microbatching[],
    costs: NetworkCosts,
    least: number,
  ) => number
}

export function choiceAsks(model: CostModel, shared: KnownBefore): ChoiceAsks {
  const { assumptions } = model.problem
  const turns = choiceTurns(model.problem, shared.turns)
  const work = computeFloor(model, shared.works, { splits: turns.splitsAny })
  const there = shared.networks(model.prices)
  const movedOf = movedFloor(model, there.moves)
  const sum = () => createTraffic(model.resources)
  const [forward, backward] = [sum(), sum()]
  let sums: Sums = {
    ...{ forwardEach: sum(), backwardEach: sum(), once: sum(), onceBack: sum() },
    ...{ forward, backward },
  }
  const stages = model.stages.map((stage) => stageBuckets(stage, model))
  const bucketsOf = (zeroStage: ZeroStage): StageBuckets => {
    const buckets = stages[zeroStage]
    if (!buckets) throw new RangeError(`ZeRO stage ${zeroStage} was not compiled`)
    return buckets
  }
  // Sums are added in another order than a layout's, so rounding must not put the floor above it.
  const whole = (least: number) => (least + score(model.stepOverhead, model.stepOverhead)) * (1 - 1e-12)
  const batchFloor = (mesh: Mesh, scale: Scale, choice: Microbatching, costs: NetworkCosts): number => {
    const sequences = choice.sequences * choice.microbatches
    const own = work(mesh, sequences, scale)
    const moved = movedOf(mesh, sequences, scale, costs)
    return whole(together(own, moved, sums, turns.of(mesh, choice)))
  }
  /** By what one microbatch takes at least. */
  const hopefulBy = (least: TimeOf): May => {
    return (mesh, scale, limit, choice) => {
      if (limit === Number.POSITIVE_INFINITY || assumptions.tokensDivideFreely) return true
      const most = (limit * (1 + 1e-12) - model.stepOverhead) * mesh.pipeline
      return turnsOf(mesh, choice) * least(mesh, choice.sequences, scale) <= most
    }
  }
  /** The turns of a microbatch that a step has at least: one for each of them, and those that a stage waits. */
  const turnsOf = (mesh: Mesh, choice: Microbatching): number => {
    const { microbatches, wait, splits } = turns.of(mesh, choice)
    return microbatches + (splits.length > 0 ? 0 : wait)
  }
  const computed: TimeOf = (mesh, sequences, scale) => {
    const { forward, backward } = work(mesh, sequences, scale)
    return forward + backward
  }
  const turn = turnFloor(model, work, movedBy(model))
  const sumUp: ChoiceAsks['sumUp'] = (mesh, zeroStage, scale, costs) => {
    const byStage = known(shared.sums, costs, noSums)
    byStage[zeroStage] ??= stageSums(bucketsOf(zeroStage), model.resources, mesh, scale, costs)
    const { forwardEach, backwardEach, once, onceBack } = byStage[zeroStage]
    sums = { forwardEach, backwardEach, once, onceBack, forward, backward }
  }
  return {
    turn,
    batchFloor,
    sumUp,
    stand: (mesh, scale) => setMesh(scale, mesh, model.extents, assumptions),
    mayCompute: hopefulBy(leastTime(computed, shared.times)),
    mayMove: hopefulBy(leastTime(turn, there.turns)),
    mayTake: (mesh, scale, limit, choice, costs) => {
      const own = turns.of(mesh, choice)
      if (own.splits.length > 0) return batchFloor(mesh, scale, choice, costs) <= limit
      const { sequences } = choice
      const computes = work(mesh, sequences, scale)
      return whole(oneByOne(computes, movedOf(mesh, sequences, scale, costs), sums, own)) <= limit
    },
    apart: ({ pipeline }, { microbatches }) => {
      if (pipeline > 1) return 0
      const { forwardEach, backwardEach, once, onceBack } = sums
      const each = exposedOf(forwardEach) + exposedOf(backwardEach)
      return (microbatches * each + exposedOf(once) + exposedOf(onceBack)) * (1 - 1e-12)
    },
    leastOf: (mesh, scale, choices, costs, before) => {
      const [{ sequences, microbatches } = { sequences: 0, microbatches: 0 }] = choices
      // However they are divided, as many sequences are computed and moved.
      const own = work(mesh, sequences * microbatches, scale)
      const moved = movedOf(mesh, sequences * microbatches, scale, costs)
      let least = before
      for (const zeroStage of zeroChoices(mesh, model.problem)) {
        sumUp(mesh, zeroStage, scale, costs)
        const alone = unbroken(own, moved, sums, mesh.pipeline)
        for (const choice of choices) {
          const asked = turns.of(mesh, choice)
          if (whole(alone + waiting(own, asked)) >= least) continue
          least = Math.min(least, whole(together(own, moved, sums, asked)))
        }
      }
      return least
    },
  }
}

function noSums(): StageSums[] {
  return []
}

function exposedOf(sum: Traffic): Seconds {
  return sum[exposedAt] ?? 0
}
