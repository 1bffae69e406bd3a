/**
 * Everything about a request that does not depend on the mesh, derived once: compiled windows per ZeRO stage and
 * policy, memory terms, rates. A candidate only puts numbers in.
 */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import { resourceCount } from '../hardware/network/collective.ts'
import {
  type Composition,
  denseLayer,
  layersAreAlike,
  sparseLayer,
  wholeComposition,
} from '../model/composition.ts'
import { attendedShare } from '../model/flops.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Problem } from '../problem.ts'
import { recent, valueKey } from '../recent.ts'
import { offeredPolicies } from '../recipe/policy.ts'
import type { PolicyRow } from '../recipe/policy-row.ts'
import { type AxisSet, axisBit } from '../sharding/axis.ts'
import type { Component } from '../sharding/component.ts'
import { derive } from '../sharding/derive.ts'
import type { Extents } from '../sharding/monomial.ts'
import { type ZeroStage, zeroStages } from '../sharding/states.ts'
import { plainContext } from '../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import { embedding, type LayerPart, layerParts, unembedding } from '../sharding/tables/training-layout.ts'
import type { Seconds } from '../units.ts'
import { type NetworkPrices, networkPrices } from './communication/network.ts'
import {
  type CompiledComponent,
  type CompiledProduct,
  compile,
  type Window,
  weighted,
} from './compile/compile.ts'
import { boundaryTerm, everythingTerms, joined, once, repeated, slowed } from './compile/model-terms.ts'
import type { StageModel } from './compile/stage-model.ts'
import { extentsOf, type Term } from './compile/term.ts'
import { type ComputeRates, trainingRates } from './compute/compute.ts'
import { elementwiseBackward, elementwiseForward, lossProduct, type Streamed } from './compute/elementwise.ts'
import { layerOverhead } from './compute/overhead.ts'
import {
  activationTerms,
  gatheredKeyTerms,
  gatheredStreamTerm,
  logitTerm,
  normRows,
  stateTerms,
} from './memory/memory.ts'
import { recomputedArrays, recomputedLogits } from './memory/recomputation.ts'
import { stepOverhead } from './step/step-overhead.ts'

export interface CostModel {
  readonly problem: Problem
  readonly contextLayout: ContextLayout
  readonly extents: Extents
  readonly rates: ComputeRates
  /** Of a step, whatever the plan. */
  readonly stepOverhead: Seconds
  /** Of the average layer, per microbatch and pass. */
  readonly layerOverhead: Seconds
  readonly prices: NetworkPrices
  /** Axis sets that anything moves over. */
  readonly sets: readonly AxisSet[]
  /** Of the network, and last the link to the host where a policy uses it. */
  readonly resources: number
  readonly policies: readonly PolicyRow[]
  /** The policy that does least work: the first of the table, which goes from most kept to least. */
  readonly leastPolicy: number
  /** A layer's backward pass with nothing recomputed, whether that is allowed or not: no policy does less. */
  readonly leastBackward: Window
  /** Products of the backward pass, whatever the policy, that only the optimizer waits for: of a layer and of the head. */
  readonly weightGradients: {
    readonly layer: readonly CompiledProduct[]
    readonly head: readonly CompiledProduct[]
  }
  readonly stages: readonly StageModel[]
  /** Per policy: what one layer keeps of one microbatch. */
  readonly activations: readonly (readonly Term[])[]
  /** Per policy: what of it is on the host instead. */
  readonly offloaded: readonly (readonly Term[])[]
  /** The same, if everything is kept: what is live while a layer is recomputed. */
  readonly everything: readonly Term[]
  readonly logits: Term
  readonly gatheredStream: Term
  readonly gatheredKeys: readonly [Term, Term]
  /** The stream that goes from stage to stage. */
  readonly boundary: Term
  /** The same with layers of one kind alone; absent where all layers are alike. */
  readonly kinds?: () => LayerKinds
}

/** Of a kind that a model has none of, the other one stands here. */
export interface LayerKinds {
  readonly dense: CostModel
  readonly sparse: CostModel
}

/** Derived components by ZeRO stage, name and what is recomputed: those of a kind of layers are the model's. */
type Compilations = Map<string, CompiledComponent>

/** Compiled once for all problems with the same layers, types of numbers, assumptions and kind of chip: a few stay known. */
export function costModel(problem: Problem, contextLayout: ContextLayout = plainContext): CostModel {
  const key = keyOf(problem, contextLayout)
  const found = compiledModels.get(key) ?? compiledModel(problem, contextLayout)
  compiledModels.set(key, found)
  return posed(found, problem)
}

const compiledModels = recent<CostModel>(24)

/** All of a problem but what `posed` puts in. */
function keyOf({ model, workload, precision, assumptions, cluster }: Problem, layout: ContextLayout): string {
  const ofLayers = { ...workload, batchTokens: null, schedules: null }
  return valueKey([layout, model, ofLayers, precision, assumptions, cluster.chip])
}

function compiledModel(problem: Problem, contextLayout: ContextLayout): CostModel {
  const { model } = problem
  const compilations: Compilations = new Map()
  const modelOf = (composition: Composition) =>
    composedModel(problem, contextLayout, composition, compilations)
  const whole = modelOf(wholeComposition(model))
  if (layersAreAlike(model)) return whole
  let kinds: LayerKinds | null = null
  return {
    ...whole,
    kinds: () => {
      kinds ??= layerKinds(model, modelOf)
      return kinds
    },
  }
}

/** The same on other chips of the kind. */
export function onCluster(model: CostModel, cluster: Cluster): CostModel {
  return posed(model, { ...model.problem, cluster })
}

/** Nothing that is compiled knows the batch, the budget, how many chips there are, or what is between them. */
function posed(model: CostModel, problem: Problem): CostModel {
  const { kinds, resources, sets } = model
  const { assumptions, cluster } = problem
  const ofHost = resources - resourceCount(model.problem.cluster.network)
  const own: CostModel = {
    ...model,
    problem,
    stepOverhead: stepOverhead(cluster, assumptions),
    prices: networkPrices(cluster.network, sets, assumptions),
    resources: resourceCount(cluster.network) + ofHost,
  }
  if (!kinds) return own
  let known: LayerKinds | null = null
  return {
    ...own,
    kinds: () => {
      known ??= { dense: posed(kinds().dense, problem), sparse: posed(kinds().sparse, problem) }
      return known
    },
  }
}

/** As if every layer were the average one of a composition. */
function composedModel(
  problem: Problem,
  contextLayout: ContextLayout,
  composition: Composition,
  compilations: Compilations,
): CostModel {
  const { model, workload, precision, assumptions, cluster } = problem
  const extents = extentsOf(model, workload.sequenceLength)
  const layer = layerParts(model, assumptions.residual, contextLayout, composition)
  const attended = attendedShare(model, workload.sequenceLength, assumptions.attentionFlops)
  const allowed = allowedPolicies(problem)
  const { elementwise, elementwiseFactor, expertElementwiseFactor } = assumptions
  const streamed = (made: () => Streamed): Window => {
    if (!elementwise) return { products: [], buckets: [] }
    const { plain, experts } = made()
    const routed = experts ? [slowed(experts, expertElementwiseFactor)] : []
    return { products: [slowed(plain, elementwiseFactor), ...routed], buckets: [] }
  }
  const streamedBackward = (policy?: PolicyRow) =>
    streamed(() => elementwiseBackward(layer, model, extents, precision, policy))
  // Policies that run the same einsums of a component again share what comes of it.
  const compiledAt = (
    zeroStage: ZeroStage,
    component: Component,
    recomputed: readonly string[] = [],
  ): CompiledComponent => {
    const key = `${zeroStage} ${component.name} ${[...recomputed].sort().join()}`
    const own =
      compilations.get(key) ??
      compile(
        derive(component, { zeroStage, regatherActivations: assumptions.regatherActivations, recomputed }),
        extents,
        precision,
        assumptions,
        attended,
      )
    compilations.set(key, own)
    return own
  }
  const stages = zeroStages.map((zeroStage): StageModel => {
    const compiled = (component: Component, recomputed?: readonly string[]) =>
      compiledAt(zeroStage, component, recomputed)
    const states = (parts: readonly LayerPart[], rows: number) =>
      stateTerms(parts, rows, zeroStage, extents, workload, precision, assumptions)
    const plain = (pick: (compiled: CompiledComponent) => Window) =>
      layer.map(({ component, times }) => weighted(pick(compiled(component)), times))
    const embed = embedding(assumptions.residual)
    const head = unembedding(assumptions.residual)
    const withLoss = (compiled: CompiledComponent, pass: 'forward' | 'backward') =>
      joined([
        compiled[pass],
        streamed(() => ({ plain: lossProduct(head, pass, extents, precision), experts: null })),
      ])
    const compiledHead = compiled(head, recomputedLogits(assumptions))
    return {
      zeroStage,
      layer: {
        forward: joined([
          ...plain(({ forward }) => forward),
          streamed(() => elementwiseForward(layer, model, extents, precision)),
        ]),
        backward: allowed.map((policy) =>
          joined([
            ...layer.map(({ component, times }) =>
              weighted(compiled(component, recomputedArrays(component, policy)).backward, times),
            ),
            streamedBackward(policy),
          ]),
        ),
        gradients: joined(plain(({ gradients }) => gradients)),
        weights: joined(plain(({ weights }) => weights)),
      },
      embedding: compiled(embed),
      head: repeated(
        {
          ...compiledHead,
          forward: withLoss(compiledHead, 'forward'),
          backward: withLoss(compiledHead, 'backward'),
        },
        1 + model.multiTokenLayers,
      ),
      layerStates: states(
        layer,
        normRows(model) * ((composition.dense + composition.sparse) / composition.layers),
      ),
      embeddingStates: states([once(embed)], model.learnedPositions),
      positionStates: states([], model.learnedPositions),
      headStates: states([once(head)], 1),
    }
  })
  const leastBackward = joined([
    ...layer.map(({ component, times }) => weighted(compiledAt(0, component).backward, times)),
    streamedBackward(),
  ])
  const used = stages.flatMap(({ layer: windows, embedding: embed, head }) => [
    windows.forward,
    ...windows.backward,
    windows.gradients,
    windows.weights,
    ...Object.values(embed),
    ...Object.values(head),
  ])
  const sets = new Set<AxisSet>(used.flatMap(({ buckets }: Window) => buckets.map(({ over }) => over)))
  sets.add(axisBit.pipeline)
  return {
    problem,
    contextLayout,
    extents,
    rates: trainingRates(cluster.chip, precision.compute, assumptions),
    stepOverhead: stepOverhead(cluster, assumptions),
    layerOverhead: layerOverhead(problem, wholeComposition(model)),
    prices: networkPrices(cluster.network, [...sets], assumptions),
    sets: [...sets],
    resources: resourceCount(cluster.network) + (allowed.some(({ host }) => host) ? 1 : 0),
    policies: allowed,
    leastPolicy: 0,
    leastBackward,
    weightGradients: {
      layer: leastBackward.products.filter(({ weightGradient }) => weightGradient),
      head: stages[0]?.head.backward.products.filter(({ weightGradient }) => weightGradient) ?? [],
    },
    stages,
    activations: allowed.map((policy) => activationTerms(layer, policy, extents, precision, assumptions)),
    offloaded: allowed.map((policy) =>
      activationTerms(layer, policy, extents, precision, assumptions, 'host'),
    ),
    everything: everythingTerms(layer, extents, problem),
    logits: logitTerm(unembedding(assumptions.residual), extents, precision, assumptions),
    gatheredStream: gatheredStreamTerm(extents, precision),
    gatheredKeys: gatheredKeyTerms(extents, precision),
    boundary: boundaryTerm(layer, extents, problem),
  }
}

function layerKinds(model: Transformer, modelOf: (kind: Composition) => CostModel): LayerKinds {
  const has = wholeComposition(model)
  const other = modelOf(has.sparse > 0 ? sparseLayer : denseLayer)
  return { dense: has.dense > 0 && has.sparse > 0 ? modelOf(denseLayer) : other, sparse: other }
}

/** Policies that the request allows. */
function allowedPolicies({ workload, assumptions }: Problem): readonly PolicyRow[] {
  return offeredPolicies(assumptions.activations).filter(({ name }) =>
    (workload.rematerialization ?? assumptions.policies).includes(name),
  )
}

export function stageModel(model: CostModel, zeroStage: ZeroStage): StageModel {
  const stage = model.stages[zeroStage]
  if (!stage) throw new RangeError(`ZeRO stage ${zeroStage} was not compiled`)
  return stage
}
