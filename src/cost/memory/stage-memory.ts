/** What a stage has on its fullest chip under a mix of policies, from the numbers of its layers and ends (memory-numbers.ts). */
import type { Bytes } from '../../units.ts'
import { ofStage } from '../compile/composed.ts'
import type { StageGroup } from '../step/stages.ts'
import type { MemoryNumbers, StateNumbers } from './layer-bytes.ts'

/** On each stage, `count` layers use the policy `other` and the rest `policy`; both are indices into the model's policies. */
export interface Mix {
  readonly policy: number
  readonly other: number
  readonly count: number
}

/** The sum over so many layers of what a layer has under its policy; `each` is by policy. */
export function overLayers({ policy, other, count }: Mix, layers: number, each: readonly number[]): number {
  const again = Math.min(count, layers)
  return (layers - again) * (each[policy] ?? 0) + again * (each[other] ?? 0)
}

export interface StageMemory {
  readonly parameters: Bytes
  readonly gradients: Bytes
  readonly optimizer: Bytes
  readonly workspace: Bytes
  readonly reserve: Bytes
}

function ofStates(numbers: MemoryNumbers, group: StageGroup, pick: (states: StateNumbers) => Bytes): Bytes {
  const { layer } = ofStage(numbers, group)
  return group.held * group.layers * pick(layer) + endStates(numbers, group, pick)
}

/** States of the ends that a stage holds. */
export function endStates(
  numbers: MemoryNumbers,
  group: Pick<StageGroup, 'first' | 'last'>,
  pick: (states: StateNumbers) => Bytes,
): Bytes {
  const ends = endsOn(numbers, group)
  return (ends.first ? pick(frontStates(numbers, ends)) : 0) + (ends.last ? pick(numbers.head) : 0)
}

const bothEnds = { first: true, last: true } as const

function endsOn(
  { endsOnEveryStage }: MemoryNumbers,
  group: Pick<StageGroup, 'first' | 'last'>,
): Pick<StageGroup, 'first' | 'last'> {
  return endsOnEveryStage ? bothEnds : group
}

/** States of what stands before the layers: where the head holds a tied matrix on the same chip, of learned positions alone. */
function frontStates(
  { embedding, positions, tied }: MemoryNumbers,
  { last }: Pick<StageGroup, 'last'>,
): StateNumbers {
  return tied && last ? positions : embedding
}

/** All memory of a stage but its activations and the working set of recomputed layers. */
export function fixedMemory(numbers: MemoryNumbers, group: StageGroup): StageMemory {
  return {
    parameters: parameterBytes(numbers, group),
    gradients: gradientBytes(numbers, group),
    optimizer: optimizerBytes(numbers, group),
    workspace: workspaceBytes(numbers, group),
    reserve: numbers.reserve,
  }
}

function parameterBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return ofStates(numbers, group, ({ weights }) => weights)
}

function gradientBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return ofStates(numbers, group, ({ gradients }) => gradients) * (group.sums ? numbers.summedGradients : 1)
}

function optimizerBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return ofStates(numbers, group, ({ optimizer }) => optimizer) / (numbers.shardsOptimizer ? group.held : 1)
}

function workspaceBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return numbers.userBuffers + Math.max(inLayer(numbers, group), atEnds(numbers, group))
}

/** Workspace while a layer runs, beside its live tensors: under ZeRO-3 its gathered weights, and the next layer's where these are fetched ahead. */
function inLayer(numbers: MemoryNumbers, group: StageGroup): Bytes {
  const { layer } = ofStage(numbers, group)
  const gathered = Math.min(numbers.layersGathered, group.layers) * layer.gathered
  return gathered + layer.unscattered + numbers.gatheredStream
}

/** Workspace while the embedding or the head runs; they never run at the same time as a layer. */
function atEnds(numbers: MemoryNumbers, group: StageGroup): Bytes {
  const { embedding, head, stream } = numbers
  const { first, last } = endsOn(numbers, group)
  const logits = numbers.logits * (numbers.endsOnEveryStage ? group.inFlight : 1)
  const inFront = first ? embedding.gathered + embedding.unscattered : 0
  const inHead = last ? head.gathered + head.unscattered + logits + stream : 0
  return Math.max(inFront, inHead)
}

/** Asked of every stage of every cut, so that it makes nothing. */
export function fixedBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return occupiedBytes(numbers, group) + numbers.reserve
}

/** The same without the reserve, which hangs on the budget. */
export function occupiedBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return (
    parameterBytes(numbers, group) +
    gradientBytes(numbers, group) +
    optimizerBytes(numbers, group) +
    workspaceBytes(numbers, group)
  )
}

export function activationBytes(numbers: MemoryNumbers, group: StageGroup, mix: Mix): Bytes {
  return group.inFlight * overLayers(mix, group.layers, ofStage(numbers, group).kept)
}

/** What a recomputed layer's live tensors add to the fixed workspace, some of which is there anyway for the ends. */
export function liveOf(numbers: MemoryNumbers, group: StageGroup, policy: number): Bytes {
  const atWork = inLayer(numbers, group)
  const live = ofStage(numbers, group).live[policy] ?? 0
  return Math.max(0, atWork + live - Math.max(atWork, atEnds(numbers, group)))
}

export function liveBytes(numbers: MemoryNumbers, group: StageGroup, mix: Mix): Bytes {
  const live = liveOf(numbers, group, mix.policy)
  return Math.max(live, mix.count > 0 ? liveOf(numbers, group, mix.other) : 0)
}

export function stageBytes(numbers: MemoryNumbers, group: StageGroup, mix: Mix): Bytes {
  return fixedBytes(numbers, group) + activationBytes(numbers, group, mix) + liveBytes(numbers, group, mix)
}

/** Bytes of a stage's states in the host's memory. */
export function hostStateBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  return ofStates(numbers, group, ({ onHost }) => onHost) / (numbers.shardsOptimizer ? group.held : 1)
}

/** All bytes of a stage in the host's memory. A policy that keeps arrays there is never mixed with another. */
export function hostBytes(numbers: MemoryNumbers, group: StageGroup, { policy }: Mix): Bytes {
  const each = ofStage(numbers, group).host[policy] ?? 0
  return hostStateBytes(numbers, group) + group.inFlight * group.layers * each
}

/** Bytes over the budget, or over the room on the host, on the fullest stage; it fits when 0 or less. */
export function shortBytes(
  numbers: MemoryNumbers,
  groups: readonly StageGroup[],
  mix: Mix,
  budget: Bytes,
): Bytes {
  let short = Number.NEGATIVE_INFINITY
  for (const group of groups) {
    const away = hostBytes(numbers, group, mix) - numbers.hostRoom
    short = Math.max(short, stageBytes(numbers, group, mix) - budget, away)
  }
  return short
}
