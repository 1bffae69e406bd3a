/**
 * How many layers the stages of a pipeline have room for, within a time and a memory budget at once. For one microbatch a stage has
 * at most the time τ, and its chip the bytes b. With x_p layers under rematerialisation policy p and f microbatches in flight,
 *
 *   n = max Σ x_p    Σ x_p·t_p <= τ,   Σ x_p·(s + f·kept_p) + max live_p <= b
 *
 * over real numbers: the best has at most two policies. If all stages together have room for fewer layers than there are, no cut and no mix
 * is as fast, because fitting forces too much recomputation. Where layers differ only those of one kind count, as if the others took nothing.
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
import { fixedBytes, liveOf } from '../../cost/memory/stage-memory.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ComputeNumbers } from '../../cost/step/microbatch.ts'
import { onlyStage } from '../../cost/step/stages.ts'
import { type Composition, denseLayer, sparseLayer, wholeComposition } from '../../model/composition.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { Filling } from './fillings.ts'

/** What one layer takes, by policy; only policies that no other beats in everything are kept. */
export interface LayerNeeds {
  readonly times: readonly Seconds[]
  readonly kept: readonly Bytes[]
  readonly live: readonly Bytes[]
}

/** What layers take of a stage: layers of the kind that counts where there are several stages, the average layer where there is one. */
export interface StageNeeds {
  readonly layers: LayerNeeds
  /** Bytes of a layer's weights and gradients, and of its optimizer states. */
  readonly states: Bytes
  readonly optimizer: Bytes
  readonly shardsOptimizer: boolean
  readonly head: Seconds
  /** Bytes of the budget that are left for layers and for weights gathered for one. */
  readonly bytes: Bytes
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
  const { memoryBudget, assumptions } = problem
  const reserve = reserveBytes(problem)
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
        bytes: memoryBudget - (reserve + unscattered + gatheredStream) * (1 - 1e-12),
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
        bytes: memoryBudget - fixedBytes(memory, only) * (1 - 1e-12),
      }
    },
    holds: (filling, microbatches, needs, limit) => {
      const { stages, stagesPerChip } = filling
      if (stages === 1) {
        const most = mostLayers(needs.layers, 0, 1, limit / microbatches - needs.head, needs.bytes)
        return most >= only.layers * (1 - 1e-9)
      }
      const least = layers * Math.min(...needs.layers.times)
      const time = stageTimeWithin(filling, microbatches, limit, least + needs.head)
      const wanted = layers * (1 - 1e-9)
      if (least * (1 - 1e-9) > stages * time) return false
      const optimizer = needs.optimizer / (needs.shardsOptimizer ? stagesPerChip : 1)
      const each = stagesPerChip * (needs.states + optimizer)
      const free = needs.bytes - gatheredLayers(stages) * needs.gathered
      const roomOf = (inFlight: number) => mostLayers(needs.layers, each, inFlight, time, free)
      // The stage with the most in flight, or the one with the least, often decides for all.
      if (roomOf(filling.most) * stages >= wanted) return true
      if (roomOf(filling.least) * stages < wanted) return false
      let room = 0
      for (const own of filling.inFlight) room += roomOf(own)
      return room >= wanted
    },
  }
}

/** Drops policies that take at least as long as another and no fewer bytes; of those that are alike in all the first stays. */
function fewest(needs: LayerNeeds): LayerNeeds {
  const count = needs.times.length
  const [times, kept, live]: [Seconds[], Bytes[], Bytes[]] = [[], [], []]
  for (let one = 0; one < count; one++) {
    let useful = true
    for (let other = 0; useful && other < count; other++) {
      useful = other === one || !worse(needs, one, other) || (one < other && worse(needs, other, one))
    }
    if (!useful) continue
    times.push(needs.times[one] ?? 0)
    kept.push(needs.kept[one] ?? 0)
    live.push(needs.live[one] ?? 0)
  }
  return { times, kept, live }
}

/** Whether one policy takes at least as much of everything as another. */
function worse({ times, kept, live }: LayerNeeds, one: number, other: number): boolean {
  return (
    (times[one] ?? 0) >= (times[other] ?? 0) &&
    (kept[one] ?? 0) >= (kept[other] ?? 0) &&
    (live[one] ?? 0) >= (live[other] ?? 0)
  )
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
function layersCounted(model: CostModel): number {
  const kind = countedKind(model)
  if (kind === null) return model.problem.model.layers
  const whole = wholeComposition(model.problem.model)
  return kind.sparse > 0 ? whole.sparse : whole.dense
}

/** The most layers that one stage has room for. */
function mostLayers(
  { times, kept, live }: LayerNeeds,
  states: Bytes,
  microbatches: number,
  time: Seconds,
  bytes: Bytes,
): number {
  let most = 0
  for (let p = 0; p < times.length; p++) {
    const timeOne = times[p] ?? 0
    const bytesOne = states + microbatches * (kept[p] ?? 0)
    const liveOne = live[p] ?? 0
    most = Math.max(most, Math.min(time / timeOne, (bytes - liveOne) / bytesOne))
    for (let q = p + 1; q < times.length; q++) {
      const timeTwo = times[q] ?? 0
      const bytesTwo = states + microbatches * (kept[q] ?? 0)
      const room = bytes - Math.max(liveOne, live[q] ?? 0)
      // Both limits are met when x layers are under one policy and y under the other.
      const determinant = timeOne * bytesTwo - timeTwo * bytesOne
      const x = (time * bytesTwo - timeTwo * room) / determinant
      const y = (timeOne * room - time * bytesOne) / determinant
      if (x > 0 && y > 0) most = Math.max(most, x + y)
    }
  }
  return most
}
