/** Bytes of one mesh, ZeRO stage and microbatch, as numbers: what layers and the ends hold and keep (memory.ts has the terms). */
import { hostRoom } from '../../hardware/chip.ts'
import { remembered } from '../../known.ts'
import type { Composition } from '../../model/composition.ts'
import { keepEverything } from '../../recipe/policy.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import type { Bytes } from '../../units.ts'
import { type Kinds, ofKinds } from '../compile/composed.ts'
import { composedMemory, type LayerMemory } from '../compile/composed-memory.ts'
import { gathersWeights, type StageModel } from '../compile/stage-model.ts'
import { type Scale, sumTerms, termValue } from '../compile/term.ts'
import { type CostModel, stageModel } from '../model.ts'
import { reserveBytes } from './budget.ts'
import type { MemoryNumbers, StateNumbers } from './layer-bytes.ts'
import { summedGradients } from './optimizer.ts'
import type { StateTerms } from './state-terms.ts'
import { mayHoldBuffers } from './user-buffers.ts'

/** What a microbatch leaves in memory, the same at any ZeRO stage. */
export type ActivationNumbers = Pick<
  MemoryNumbers,
  'kept' | 'live' | 'host' | 'stream' | 'gatheredStream' | 'logits' | 'userBuffers'
> & {
  /** What of `gatheredStream` lies in no user buffer. */
  readonly gatheredKeys: Bytes
}

/** Of the average layer, and of either kind where they are not alike. */
export interface Activations {
  readonly average: ActivationNumbers
  readonly kinds: Kinds<ActivationNumbers> | null
}

export function activationsOf(model: CostModel, scale: Scale): Activations {
  const kinds = model.kinds?.()
  return {
    average: averageActivations(model, scale),
    kinds: kinds ? ofKinds(kinds, (kind) => averageActivations(kind, scale)) : null,
  }
}

function averageActivations(model: CostModel, scale: Scale): ActivationNumbers {
  const { workspace } = model.problem.assumptions
  const kept = keptBytes(model, scale)
  const host = model.offloaded.map((terms) => sumTerms(terms, scale))
  const whole = Math.max(...kept, sumTerms(model.everything, scale))
  const stream = termValue(model.stream, scale)
  const keys = workspace ? gatheredKeys(model, scale) : 0
  return {
    kept,
    // While all arrays of a layer are there, those of the next layer arrive from the host.
    live: kept.map((bytes, policy) => (workspace ? whole - bytes + (host[policy] ?? 0) : 0)),
    host,
    stream: workspace ? stream : 0,
    gatheredStream: workspace ? termValue(model.gatheredStream, scale) - 2 * stream + keys : 0,
    gatheredKeys: keys,
    logits: workspace ? termValue(model.logits, scale) : 0,
    userBuffers:
      scale.mesh && mayHoldBuffers(model.problem, scale.mesh) ? termValue(model.userBuffers, scale) : 0,
  }
}

/** What the average layer keeps of a microbatch for its backward pass, by policy. */
export function keptBytes(model: CostModel, scale: Scale): readonly Bytes[] {
  return model.activations.map((terms) => sumTerms(terms, scale))
}

/** What the average layer has of states. */
export function layerStates(model: CostModel, stage: StageModel, scale: Scale): StateNumbers {
  return stateNumbers(model, stage, stage.layerStates, scale)
}

function stateNumbers(model: CostModel, stage: StageModel, terms: StateTerms, scale: Scale): StateNumbers {
  const { optimizerOnHost, workspace } = model.problem.assumptions
  const weights = sumTerms(terms.weights, scale)
  const gradients = sumTerms(terms.gradients, scale)
  const optimizer = sumTerms(terms.optimizer, scale)
  const away = optimizerOnHost ? 1 : 0
  return {
    weights,
    gradients,
    // A product with a fraction stays one in V8, where a mere 0 would make objects of another form.
    optimizer: (1 - away) * optimizer,
    onHost: away * optimizer,
    gathered: gathersWeights(stage.zeroStage) && workspace ? sumTerms(terms.gathered, scale) - weights : 0,
    unscattered: workspace ? sumTerms(terms.unscattered, scale) - gradients : 0,
  }
}

/** What the average layer and the ends have of states, and a layer of either kind: the same for any microbatch. */
export interface States extends Pick<MemoryNumbers, 'layer' | 'embedding' | 'positions' | 'head'> {
  readonly kinds: Kinds<StateNumbers> | null
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
    kinds: kinds ? ofKinds(kinds, ofKind) : null,
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
  const { kept, live, host, stream, gatheredStream, gatheredKeys: keys, logits } = activations
  const userBuffers = stage.userBuffers ? activations.userBuffers : 0
  return {
    layer,
    embedding,
    positions,
    head,
    kept,
    live,
    host,
    stream,
    gatheredStream: userBuffers > 0 ? keys : gatheredStream,
    userBuffers,
    logits,
    endsOnEveryStage: model.problem.assumptions.endsOnEveryStage,
    layersGathered: model.problem.assumptions.layersGathered,
    summedGradients: summedGradients(model.problem.precision, model.problem.assumptions),
    reserve: reserveBytes(model.problem),
    hostRoom: hostRoom(cluster.chip),
    tied: transformer.tiedEmbeddings,
    shardsOptimizer: stage.zeroStage > 0,
    least: model.policies.indexOf(keepEverything),
  }
}

/** What the average layer keeps under the policy that keeps least. */
export function leastKeptBytes(model: CostModel, scale: Scale): Bytes {
  let kept = Number.POSITIVE_INFINITY
  for (const terms of model.activations) kept = Math.min(kept, sumTerms(terms, scale))
  return kept
}

/** What the average layer's states take of the chip. */
export function layerStateBytes(model: CostModel, { layerStates }: StageModel, scale: Scale): Bytes {
  const { weights, gradients, optimizer } = layerStates
  const onChip = model.problem.assumptions.optimizerOnHost ? 0 : sumTerms(optimizer, scale)
  return sumTerms(weights, scale) + sumTerms(gradients, scale) + onChip
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
    of: remembered((composition) => composedNumbers(model, average, kinds, composition)),
  }
}

/** Numbers of a stage of given layers alone; null where all layers are alike. */
export function memoryOfLayers(
  model: CostModel,
  stage: StageModel,
  states: States,
  activations: Activations,
  composition: Composition | null,
): MemoryNumbers {
  const average = averageMemory(model, stage, states, activations.average)
  const kinds = kindsOfMemory(states, activations)
  return kinds && composition ? composedNumbers(model, average, kinds, composition) : average
}

function kindsOfMemory({ kinds: states }: States, { kinds }: Activations): Kinds<LayerMemory> | null {
  if (!states || !kinds) return null
  const kind = (layer: StateNumbers, { kept, live, host }: ActivationNumbers): LayerMemory => {
    return { layer, kept, live, host }
  }
  return { dense: kind(states.dense, kinds.dense), sparse: kind(states.sparse, kinds.sparse) }
}

function composedNumbers(
  { problem }: CostModel,
  average: MemoryNumbers,
  { dense, sparse }: Kinds<LayerMemory>,
  composition: Composition,
): MemoryNumbers {
  const { layer, kept, live, host } = composedMemory(composition, dense, sparse, problem)
  return { ...average, layer, kept, live, host }
}

/** Keys are whole on a chip only where the context layout gathers them. */
function gatheredKeys({ contextLayout, gatheredKeys: { whole, own } }: CostModel, scale: Scale): Bytes {
  return contextLayoutRow(contextLayout).keys === 'whole' ? sumTerms(whole, scale) - sumTerms(own, scale) : 0
}
