/**
 * Bytes of one mesh, ZeRO stage and microbatch, as numbers: what layers and the ends hold and keep, and what a stage then has on
 * its fullest chip under a mix of policies (memory.ts has the terms).
 */

import type { Composition } from '../../model/composition.ts'
import { keepEverything } from '../../recipe/policy.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import type { Bytes } from '../../units.ts'
import { byComposition, ofStage } from '../compile/composed.ts'
import { composedMemory, type LayerMemory } from '../compile/composed-memory.ts'
import { gathersWeights, type StageModel } from '../compile/stage-model.ts'
import { type Scale, sumTerms, termValue } from '../compile/term.ts'
import { type CostModel, stageModel } from '../model.ts'
import type { StageGroup } from '../step/stages.ts'
import type { MemoryNumbers, StateNumbers } from './layer-bytes.ts'
import { reserveBytes, type StateTerms } from './memory.ts'

/** On each stage, `count` layers use the policy `other` and the rest `policy`; both are indices into the model's policies. */
export interface Mix {
  readonly policy: number
  readonly other: number
  readonly count: number
}

/** What a microbatch leaves in memory, the same at any ZeRO stage. */
export type ActivationNumbers = Pick<
  MemoryNumbers,
  'kept' | 'live' | 'host' | 'stream' | 'gatheredStream' | 'logits'
>

/** Of the average layer, and of either kind where they are not alike. */
export interface Activations {
  readonly average: ActivationNumbers
  readonly kinds: { readonly dense: ActivationNumbers; readonly sparse: ActivationNumbers } | null
}

export function activationsOf(model: CostModel, scale: Scale): Activations {
  const kinds = model.kinds?.()
  return {
    average: averageActivations(model, scale),
    kinds: kinds
      ? { dense: averageActivations(kinds.dense, scale), sparse: averageActivations(kinds.sparse, scale) }
      : null,
  }
}

function averageActivations(model: CostModel, scale: Scale): ActivationNumbers {
  const { workspace } = model.problem.assumptions
  const kept = model.activations.map((terms) => sumTerms(terms, scale))
  const host = model.offloaded.map((terms) => sumTerms(terms, scale))
  const whole = Math.max(...kept, sumTerms(model.everything, scale))
  const stream = termValue(model.stream, scale)
  return {
    kept,
    // While all arrays of a layer are there, those of the next layer arrive from the host.
    live: kept.map((bytes, policy) => (workspace ? whole - bytes + (host[policy] ?? 0) : 0)),
    host,
    stream: workspace ? stream : 0,
    gatheredStream: workspace
      ? termValue(model.gatheredStream, scale) - 2 * stream + gatheredKeys(model, scale)
      : 0,
    logits: workspace ? termValue(model.logits, scale) : 0,
  }
}

/** What the average layer has of states. */
export function layerStates(model: CostModel, stage: StageModel, scale: Scale): StateNumbers {
  return stateNumbers(model, stage, stage.layerStates, scale)
}

function stateNumbers(model: CostModel, stage: StageModel, terms: StateTerms, scale: Scale): StateNumbers {
  const { optimizerOnHost: away, workspace } = model.problem.assumptions
  const weights = sumTerms(terms.weights, scale)
  const gradients = sumTerms(terms.gradients, scale)
  const optimizer = sumTerms(terms.optimizer, scale)
  return {
    weights,
    gradients,
    optimizer: away ? 0 : optimizer,
    onHost: away ? optimizer : 0,
    gathered: gathersWeights(stage.zeroStage) && workspace ? sumTerms(terms.gathered, scale) - weights : 0,
    unscattered: workspace ? sumTerms(terms.unscattered, scale) - gradients : 0,
  }
}

/** What the average layer and the ends have of states, and a layer of either kind: the same for any microbatch. */
export interface States extends Pick<MemoryNumbers, 'layer' | 'embedding' | 'positions' | 'head'> {
  readonly kinds: { readonly dense: StateNumbers; readonly sparse: StateNumbers } | null
}

export function statesOf(model: CostModel, stage: StageModel, scale: Scale): States {
  const states = (terms: StateTerms) => stateNumbers(model, stage, terms, scale)
  const kinds = model.kinds?.()
  const ofKind = (kind: CostModel) => layerStates(kind, stageModel(kind, stage.zeroStage), scale)
  return {
    layer: states(stage.layerStates),
    embedding: states(stage.embeddingStates),
    positions: states(stage.positionStates),
    head: states(stage.headStates),
    kinds: kinds ? { dense: ofKind(kinds.dense), sparse: ofKind(kinds.sparse) } : null,
  }
}

/** Numbers of the average layer. */
function averageMemory(
  model: CostModel,
  stage: StageModel,
  { layer, embedding, positions, head }: States,
  activations: ActivationNumbers,
): MemoryNumbers {
  const { cluster, model: transformer } = model.problem
  const { kept, live, host, stream, gatheredStream, logits } = activations
  return {
    layer,
    embedding,
    positions,
    head,
    kept,
    live,
    host,
    stream,
    gatheredStream,
    logits,
    layersGathered: model.problem.assumptions.layersGathered,
    reserve: reserveBytes(model.problem),
    hostRoom: cluster.chip.hostMemoryBytes ?? Number.POSITIVE_INFINITY,
    tied: transformer.tiedEmbeddings,
    shardsOptimizer: stage.zeroStage > 0,
    least: model.policies.indexOf(keepEverything),
  }
}

/** Bytes of the average layer's states, and of what it keeps under the policy that keeps least. */
export function leastLayerBytes(model: CostModel, { layerStates }: StageModel, scale: Scale): Bytes {
  const { weights, gradients, optimizer } = layerStates
  let kept = Number.POSITIVE_INFINITY
  for (const terms of model.activations) kept = Math.min(kept, sumTerms(terms, scale))
  const away = model.problem.assumptions.optimizerOnHost
  const onChip = away ? 0 : sumTerms(optimizer, scale)
  return sumTerms(weights, scale) + sumTerms(gradients, scale) + onChip + kept
}

/**
 * Numbers that also serve stages whose layers differ from the average. The scale that states are of may have other replicas than that of the
 * activations.
 */
export function memoryNumbers(
  model: CostModel,
  stage: StageModel,
  scale: Scale,
  activations = activationsOf(model, scale),
  states = statesOf(model, stage, scale),
): MemoryNumbers {
  const average = averageMemory(model, stage, states, activations.average)
  const kinds = kindsOfMemory(states, activations)
  if (!kinds) return average
  return {
    ...average,
    keptByKind: [kinds.dense.kept, kinds.sparse.kept],
    of: byComposition((composition) => composedNumbers(model, average, kinds, composition)),
  }
}

/** Numbers of a stage of given layers alone; null where all layers are alike. */
export function memoryOfLayers(
  model: CostModel,
  stage: StageModel,
  scale: Scale,
  activations: Activations,
  composition: Composition | null,
): MemoryNumbers {
  const states = statesOf(model, stage, scale)
  const average = averageMemory(model, stage, states, activations.average)
  const kinds = kindsOfMemory(states, activations)
  return kinds && composition ? composedNumbers(model, average, kinds, composition) : average
}

interface KindsOfMemory {
  readonly dense: LayerMemory
  readonly sparse: LayerMemory
}

function kindsOfMemory({ kinds: states }: States, { kinds }: Activations): KindsOfMemory | null {
  if (!states || !kinds) return null
  const kind = (layer: StateNumbers, { kept, live, host }: ActivationNumbers): LayerMemory => ({
    ...{ layer, kept, live, host },
  })
  return { dense: kind(states.dense, kinds.dense), sparse: kind(states.sparse, kinds.sparse) }
}

function composedNumbers(
  { problem }: CostModel,
  average: MemoryNumbers,
  { dense, sparse }: KindsOfMemory,
  composition: Composition,
): MemoryNumbers {
  const { layer, kept, live, host } = composedMemory(composition, dense, sparse, problem)
  return { ...average, layer, kept, live, host }
}

/** Keys are whole on a chip only where the context layout gathers them. */
function gatheredKeys({ contextLayout, gatheredKeys: { whole, own } }: CostModel, scale: Scale): Bytes {
  return contextLayoutRow(contextLayout).keys === 'whole' ? sumTerms(whole, scale) - sumTerms(own, scale) : 0
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
  const { embedding, positions, head, tied } = numbers
  const front = tied && group.last ? positions : embedding
  return (
    group.held * group.layers * pick(layer) + (group.first ? pick(front) : 0) + (group.last ? pick(head) : 0)
  )
}

/** All memory of a stage but its activations and the working set of recomputed layers. */
export function fixedMemory(numbers: MemoryNumbers, group: StageGroup): StageMemory {
  const ends = (pick: (states: StateNumbers) => Bytes) => ofStates(numbers, group, pick)
  return {
    parameters: ends(({ weights }) => weights),
    gradients: ends(({ gradients }) => gradients),
    optimizer: ends(({ optimizer }) => optimizer) / (numbers.shardsOptimizer ? group.held : 1),
    workspace: Math.max(inLayer(numbers, group), atEnds(numbers, group)),
    reserve: numbers.reserve,
  }
}

/** Workspace while a layer runs, beside its live tensors: under ZeRO-3 its gathered weights, and the next layer's where these are fetched ahead. */
function inLayer(numbers: MemoryNumbers, group: StageGroup): Bytes {
  const { layer } = ofStage(numbers, group)
  const gathered = Math.min(numbers.layersGathered, group.layers) * layer.gathered
  return gathered + layer.unscattered + numbers.gatheredStream
}

/** Workspace while the embedding or the head runs; they never run at the same time as a layer. */
function atEnds({ embedding, head, logits, stream }: MemoryNumbers, { first, last }: StageGroup): Bytes {
  const inFront = first ? embedding.gathered + embedding.unscattered : 0
  const inHead = last ? head.gathered + head.unscattered + logits + stream : 0
  return Math.max(inFront, inHead)
}

export function fixedBytes(numbers: MemoryNumbers, group: StageGroup): Bytes {
  const { parameters, gradients, optimizer, workspace, reserve } = fixedMemory(numbers, group)
  return parameters + gradients + optimizer + workspace + reserve
}

export function activationBytes(numbers: MemoryNumbers, group: StageGroup, mix: Mix): Bytes {
  const again = Math.min(mix.count, group.layers)
  const own = ofStage(numbers, group)
  const kept = (policy: number) => own.kept[policy] ?? 0
  return group.inFlight * ((group.layers - again) * kept(mix.policy) + again * kept(mix.other))
}

/** What a recomputed layer's live tensors add to the fixed workspace, some of which is there anyway for the ends. */
export function liveOf(numbers: MemoryNumbers, group: StageGroup, policy: number): Bytes {
  const atWork = inLayer(numbers, group)
  const live = ofStage(numbers, group).live[policy] ?? 0
  return Math.max(0, atWork + live - Math.max(atWork, atEnds(numbers, group)))
}

export function liveBytes(numbers: MemoryNumbers, group: StageGroup, mix: Mix): Bytes {
  const live = (policy: number) => liveOf(numbers, group, policy)
  return Math.max(live(mix.policy), mix.count > 0 ? live(mix.other) : 0)
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
