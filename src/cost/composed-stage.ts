/** What a composition of layers and the ends of the model compute, move and hold under one ZeRO stage. */
import { compact } from '../compact.ts'
import { known } from '../known.ts'
import type { Composition } from '../model/composition.ts'
import { blocksOfLayer } from '../model/layer-pattern.ts'
import { lastStreamRows, streamRows } from '../model/residual-streams.ts'
import type { Problem } from '../problem.ts'
import type { PolicyRow } from '../recipe/policy-row.ts'
import type { Component } from '../sharding/component.ts'
import type { Extents } from '../sharding/monomial.ts'
import type { ZeroStage } from '../sharding/states.ts'
import { embedding, type LayerPart, unembedding } from '../sharding/tables/training-layout.ts'
import { type CompiledComponent, type Window, weighted } from './compile/compile.ts'
import { derivedComponent } from './compile/compiled-component.ts'
import { joined, once, repeated, slowed } from './compile/model-terms.ts'
import type { LayerWindows, StageModel } from './compile/stage-model.ts'
import { elementwiseBackward, elementwiseForward, lossProduct, type Streamed } from './compute/elementwise.ts'
import { recomputedArrays, recomputedLogits } from './memory/recomputation.ts'
import { stateTerms } from './memory/state-terms.ts'
import { stageAgainstBuffers } from './memory/user-buffers.ts'

/** Derived components by ZeRO stage, name and what is recomputed. Models of one kind of layer reuse those of the whole model. */
export type Compilations = Map<string, CompiledComponent>

export interface Ingredients {
  readonly problem: Problem
  readonly extents: Extents
  readonly composition: Composition
  /** Components of the average layer. */
  readonly layer: readonly LayerPart[]
  readonly policies: readonly PolicyRow[]
  readonly compilations: Compilations
}

export function composedStage(ingredients: Ingredients, zeroStage: ZeroStage): StageModel {
  const { problem, extents, composition, layer } = ingredients
  const { model, assumptions } = problem
  const states = (parts: readonly LayerPart[], vectors: number, routers = 0) =>
    stateTerms(parts, { vectors, routers }, zeroStage, extents, problem)
  const embed = embedding(assumptions.residual)
  const head = unembedding(assumptions.residual)
  const ofLayer = blocksOfLayer(model) + streamRows(model)
  const layerRows = ofLayer * ((composition.dense + composition.sparse) / composition.layers)
  return {
    zeroStage,
    layer: layerWindows(ingredients, zeroStage),
    embedding: compiled(ingredients, zeroStage, embed),
    head: repeated(headWindows(ingredients, zeroStage, head), 1 + model.multiTokenLayers),
    layerStates: states(layer, layerRows, composition.sparse / composition.layers),
    embeddingStates: states([once(embed)], model.learnedPositions),
    positionStates: states([], model.learnedPositions),
    headStates: states([once(head)], 1 + lastStreamRows(model)),
    userBuffers: stageAgainstBuffers(problem, zeroStage) === null,
  }
}

/** Policies that recompute the same einsums of a component share the result. */
function compiled(
  { problem, extents, compilations }: Ingredients,
  zeroStage: ZeroStage,
  component: Component,
  recomputed: readonly string[] = [],
): CompiledComponent {
  const key = `${zeroStage} ${component.name} ${[...recomputed].sort().join()}`
  return known(compilations, key, () => {
    return derivedComponent(problem, extents, { component, zeroStage, recomputed }).windows
  })
}

function layerWindows(ingredients: Ingredients, zeroStage: ZeroStage): LayerWindows {
  const { problem, extents, layer, policies } = ingredients
  const plain = (pick: (windows: CompiledComponent) => Window) =>
    layer.map(({ component, times }) => weighted(pick(compiled(ingredients, zeroStage, component)), times))
  const kernels = streamed(problem, () =>
    elementwiseForward(layer, problem.model, extents, problem.precision),
  )
  return {
    forward: joined([...plain(({ forward }) => forward), kernels]),
    backward: policies.map((policy) => layerBackward(ingredients, zeroStage, policy)),
    gradients: joined(plain(({ gradients }) => gradients)),
    weights: joined(plain(({ weights }) => weights)),
  }
}

/** A layer's backward pass; without a policy nothing is recomputed. */
export function layerBackward(ingredients: Ingredients, zeroStage: ZeroStage, policy?: PolicyRow): Window {
  const { problem, extents, layer } = ingredients
  const windows = layer.map(({ component, times }) => {
    const recomputed = policy ? recomputedArrays(component, policy) : []
    return weighted(compiled(ingredients, zeroStage, component, recomputed).backward, times)
  })
  const kernels = streamed(problem, () =>
    elementwiseBackward(layer, problem.model, extents, problem.precision, policy),
  )
  return joined([...windows, kernels])
}

/** The head with the loss. */
function headWindows(ingredients: Ingredients, zeroStage: ZeroStage, head: Component): CompiledComponent {
  const { problem, extents } = ingredients
  const windows = compiled(ingredients, zeroStage, head, recomputedLogits(head, problem.assumptions))
  const withLoss = (pass: 'forward' | 'backward') => {
    const made = () => ({
      plain: lossProduct(head, pass, extents, problem.precision),
      recurrence: null,
      experts: null,
    })
    return joined([windows[pass], streamed(problem, made)])
  }
  return { ...windows, forward: withLoss('forward'), backward: withLoss('backward') }
}

/** Kernels between products, where the assumptions count any. */
function streamed({ assumptions }: Problem, made: () => Streamed): Window {
  const { elementwise, elementwiseFactor, recurrenceFactor, expertElementwiseFactor } = assumptions
  if (!elementwise) return { products: [], buckets: [] }
  const { plain, recurrence, experts } = made()
  const products = compact(
    slowed(plain, elementwiseFactor),
    recurrence && slowed(recurrence, recurrenceFactor),
    experts && slowed(experts, expertElementwiseFactor),
  )
  return { products, buckets: [] }
}
