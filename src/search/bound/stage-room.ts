/**
 * How many layers the stages of a pipeline have room for, within a time and a memory budget at once. For one microbatch a stage has
 * at most the time τ, and its chip the bytes b. With x_p layers under rematerialisation policy p and f microbatches in flight,
 *
 *   n = max Σ x_p    Σ x_p·t_p <= τ,   Σ x_p·(s + f·kept_p) + max live_p <= b
 *
 * over real numbers: the best has at most two policies. A stage has whole layers, no more than ⌊n⌋ of them, and the last has the head besides, which
 * leaves it less of τ. If all stages together have room for fewer layers than there are, no cut and no mix is as fast, because fitting forces
 * too much recomputation. Where layers differ only those of one kind count, as if the others took nothing.
 *
 * τ follows from a limit T on the step, less the overhead that every step has, and from A, what one microbatch takes of all stages:
 *
 *   (m - 1/v)·τ + A/v <= T,  or m·τ <= T where the backward pass is split or there is one stage, which has all of the model on it
 */

import { ofStage } from '../../cost/compile/composed.ts'
import { layerOverhead } from '../../cost/compute/overhead.ts'
import { reserveBytes } from '../../cost/memory/budget.ts'
import type { MemoryNumbers, StateNumbers } from '../../cost/memory/layer-bytes.ts'
import type { ActivationNumbers } from '../../cost/memory/memory-numbers.ts'
import { liveOf, occupiedBytes } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import { onlyStage } from '../../cost/step/stages.ts'
import { type Composition, denseLayer, sparseLayer, wholeComposition } from '../../model/composition.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Filling } from './fillings.ts'
import { fewest, type LayerNeeds, mostLayers } from './most-layers.ts'

/** What layers take of a stage: layers of the kind that counts where there are several stages, the average layer where there is one. */
export interface StageNeeds {
  readonly layers: LayerNeeds
  /** Bytes of a layer's weights and gradients, and of its optimizer states. */
  readonly states: Bytes
  readonly optimizer: Bytes
  readonly shardsOptimizer: boolean
  readonly head: Seconds
  /** Bytes that are taken beside layers, the reserve and weights gathered for one. */
  readonly fixed: Bytes
  readonly gathered: Bytes
}

/** Times of a microbatch as large as `of` of those that the bytes are of; `exposed` are seconds that may not overlap, by policy. */
export interface Timed {
  readonly compute: ComputeNumbers
  readonly exposed: readonly Seconds[]
  readonly of: number
}

/** What a stage among several needs beside its layers, and what the layers that count hold of states and keep of a microbatch. */
export interface StagedLayers extends Pick<Timed, 'compute' | 'of'> {
  readonly layers: LayerNeeds
  readonly states: StateNumbers
  readonly activations: ActivationNumbers
  readonly shardsOptimizer: boolean
}

/** With all that there is in memory, for all of the layers. */
export interface TimedModel extends Timed {
  readonly memory: MemoryNumbers
}

export interface Room {
  /** Needs of the layers that count, on one stage among several: the same under any ZeRO stage. */
  readonly layers: (timed: Timed, activations: ActivationNumbers) => LayerNeeds
  /** Needs of one stage among several; the numbers are of the layers that count. */
  readonly among: (numbers: StagedLayers) => StageNeeds
  /** Needs of a single stage that has all layers. */
  readonly alone: (numbers: TimedModel) => StageNeeds
  /** Whether stages have room for all layers within the budget, when microbatches and bubbles may take `limit`. */
  readonly holds: (filling: Filling, microbatches: number, needs: StageNeeds, limit: Seconds) => boolean
}

export function layerRoom(model: CostModel): Room {
  const { problem, layerOverhead: average } = model
  const kind = countedKind(model)
  const layers = layersCounted(model)
  const wanted = layers * (1 - 1e-9)
  const { memoryBudget, assumptions } = problem
  const fillable = memoryBudget - reserveBytes(problem) * (1 - 1e-12)
  const overhead = kind === null ? average : layerOverhead(problem, kind)
  const only = onlyStage(problem.model.layers, countedComposition(model))
  const timesOf = (own: ComputeNumbers, exposed: readonly Seconds[], each: Seconds, of: number) =>
    own.backward.map((time, policy) => (own.forward + time + 2 * each + (exposed[policy] ?? 0)) / of)
  const headOf = ({ headForward, headBackward }: ComputeNumbers) => headForward + headBackward
  /** Number of layers whose weights are gathered at once on any stage. */
  const gatheredLayers = (stages: number) => {
    if (kind !== null || stages === 1) return 0
    return Math.min(assumptions.layersGathered, assumptions.tokensDivideFreely ? layers / stages : 1)
  }
  return {
    layers: ({ compute, exposed, of }, { kept, live }) =>
      fewest({ kept, live, times: timesOf(compute, exposed, overhead, of) }),
    among: ({ compute, of, layers, states, activations: { gatheredStream }, shardsOptimizer }) => {
      const { weights, gradients, optimizer, gathered, unscattered } = states
      return {
        layers,
        states: weights + gradients,
        ...{ optimizer, shardsOptimizer },
        head: headOf(compute) / of,
        fixed: (unscattered + gatheredStream) * (1 - 1e-12),
        gathered: gathered * (1 - 1e-12),
      }
    },
    alone: ({ compute, exposed, memory, of }) => {
      const { kept } = ofStage(memory, only)
      const times = timesOf(ofStage(compute, only), exposed, average, of)
      const live = kept.map((_, policy) => liveOf(memory, only, policy))
      return {
        layers: fewest({ times, kept, live }),
        ...{ states: 0, optimizer: 0, shardsOptimizer: false, gathered: 0 },
        head: headOf(compute) / of,
        fixed: occupiedBytes(memory, only) * (1 - 1e-12),
      }
    },
    holds: (filling, microbatches, needs, limit) => {
      if (filling.stages === 1) {
        const time = limit / microbatches - needs.head
        const most = mostLayers(needs.layers, 0, 1, time, fillable - needs.fixed)
        return most >= only.layers * (1 - 1e-9)
      }
      const layer = Math.min(...needs.layers.times)
      const time = stageTimeWithin(filling, microbatches, limit, layers * layer + needs.head)
      return passes(filling, time, layer, needs.head) && fits(filling, time, needs)
    },
  }

  /** Whether stages that take no longer than `time` have room for all layers, if memory is no matter. */
  function passes({ stages, mostPerChip }: Filling, time: Seconds, layer: Seconds, head: Seconds): boolean {
    const last = whole((time - head / mostPerChip) / layer, mostPerChip)
    return (stages - 1) * whole(time / layer, mostPerChip) + last >= wanted
  }

  /** The same within the budget. */
  function fits(filling: Filling, time: Seconds, needs: StageNeeds): boolean {
    const { stages, stagesPerChip, mostPerChip } = filling
    const optimizer = needs.optimizer / (needs.shardsOptimizer ? stagesPerChip : 1)
    const each = stagesPerChip * (needs.states + optimizer)
    const free = fillable - needs.fixed - gatheredLayers(stages) * needs.gathered
    const roomOf = (inFlight: number, head: Seconds) =>
      whole(mostLayers(needs.layers, each, inFlight, time - head, free), mostPerChip)
    // The head is on the last stage or, where a chip has two, half of it is.
    const head = needs.head / mostPerChip
    // A stage with the most in flight and the head, or one with the least, often decides for all.
    if (roomOf(filling.most, head) * stages >= wanted) return true
    if (roomOf(filling.least, 0) * stages < wanted) return false
    let room = roomOf(filling.inFlight[stages - 1] ?? 0, head)
    for (let stage = 0; stage < stages - 1; stage++) room += roomOf(filling.inFlight[stage] ?? 0, 0)
    return room >= wanted
  }

  /** Layers that a chip can have of as many as it has room for: halves where it may count as the mean of two stages. */
  function whole(room: number, perChip: 1 | 2): number {
    return assumptions.tokensDivideFreely ? room : Math.floor(room * perChip * (1 + 1e-9)) / perChip
  }
}

/** The most time that a stage may take for a microbatch, when a step may take `limit` and one microbatch takes at least `all` of all stages. */
function stageTimeWithin(
  { split, virtual }: Filling,
  microbatches: number,
  limit: Seconds,
  all: Seconds,
): Seconds {
  let most = split ? limit / microbatches : 0
  // It rises or falls monotonically with v, so the least and the most v are enough.
  for (const v of virtual) {
    most = Math.max(most, microbatches * v > 1 ? (limit - all / v) / (microbatches - 1 / v) : limit)
  }
  return most
}

/** The kind of layers that counts; null where layers are alike, or are all taken as the average one. */
export function countedKind({ problem, kinds }: CostModel): Composition | null {
  const { model, assumptions } = problem
  if (!kinds || assumptions.tokensDivideFreely) return null
  return wholeComposition(model).sparse > 0 ? sparseLayer : denseLayer
}

/** All layers of a single stage; null where layers are alike, or are all taken as the average one. */
export function countedComposition(model: CostModel): Composition | null {
  return countedKind(model) && wholeComposition(model.problem.model)
}

/** Number of layers of the kind that counts, or of all layers where they are alike. */
export function layersCounted(model: CostModel): number {
  const kind = countedKind(model)
  if (kind === null) return model.problem.model.layers
  const whole = wholeComposition(model.problem.model)
  return kind.sparse > 0 ? whole.sparse : whole.dense
}
