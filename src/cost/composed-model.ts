/** The cost model of a composition of layers, as if every layer were their average. */
import { known } from '../known.ts'
import type { Composition } from '../model/composition.ts'
import { attendedShare } from '../model/flops.ts'
import type { Problem } from '../problem.ts'
import { asRun, composedPolicies, keepEverything, offeredPolicies } from '../recipe/policy.ts'
import type { PolicyRow } from '../recipe/policy-row.ts'
import { type AxisSet, axisBit } from '../sharding/axis.ts'
import type { Component } from '../sharding/component.ts'
import { derive } from '../sharding/derive.ts'
import { type ZeroStage, zeroStages } from '../sharding/states.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import { embedding, type LayerPart, layerParts, unembedding } from '../sharding/tables/training-layout.ts'
import { type CompiledComponent, compile, type Window, weighted } from './compile/compile.ts'
import { boundaryTerm, joined, once, repeated, slowed, streamTerm } from './compile/model-terms.ts'
import type { StageModel } from './compile/stage-model.ts'
import { extentsOf } from './compile/term.ts'
import { elementwiseBackward, elementwiseForward, lossProduct, type Streamed } from './compute/elementwise.ts'
import { workOf } from './compute/work.ts'
import {
  activationTerms,
  gatheredKeyTerms,
  gatheredStreamTerm,
  logitTerm,
  normRows,
  stateTerms,
} from './memory/memory.ts'
import { recomputedArrays, recomputedLogits } from './memory/recomputation.ts'
import type { CostModel } from './model.ts'
import { ratesOf } from './posed.ts'

/** Derived components by ZeRO stage, name and what is recomputed. Models of one kind of layer reuse those of the whole model. */
export type Compilations = Map<string, CompiledComponent>

/** The cost model as if every layer were the average one of the composition. */
export function composedModel(
  problem: Problem,
  contextLayout: ContextLayout,
  composition: Composition,
  compilations: Compilations,
): CostModel {
  const { model, workload, precision, assumptions } = problem
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
  // Policies that recompute the same einsums of a component share the result.
  const compiledAt = (
    zeroStage: ZeroStage,
    component: Component,
    recomputed: readonly string[] = [],
  ): CompiledComponent => {
    const key = `${zeroStage} ${component.name} ${[...recomputed].sort().join()}`
    return known(compilations, key, () => {
      const { regatherActivations } = assumptions
      const derivation = derive(component, { zeroStage, regatherActivations, recomputed })
      return compile(derivation, extents, precision, assumptions, attended)
    })
  }
  const stages = zeroStages.map((zeroStage): StageModel => {
    const compiled = (component: Component, recomputed?: readonly string[]) =>
      compiledAt(zeroStage, component, recomputed)
    const states = (parts: readonly LayerPart[], rows: number) =>
      stateTerms(parts, rows, zeroStage, extents, problem)
    const plain = (pick: (compiled: CompiledComponent) => Window) =>
      layer.map(({ component, times }) => weighted(pick(compiled(component)), times))
    const embed = embedding(assumptions.residual)
    const head = unembedding(assumptions.residual)
    const withLoss = (compiled: CompiledComponent, pass: 'forward' | 'backward') =>
      joined([
        compiled[pass],
        streamed(() => ({ plain: lossProduct(head, pass, extents, precision), experts: null })),
      ])
    const compiledHead = compiled(head, recomputedLogits(head, assumptions))
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
  const stream = streamTerm(layer, extents, problem)
  const sets = new Set<AxisSet>(used.flatMap(({ buckets }: Window) => buckets.map(({ over }) => over)))
  sets.add(axisBit.pipeline)
  const weightGradients = {
    layer: leastBackward.products.filter(({ weightGradient }) => weightGradient),
    head: stages[0]?.head.backward.products.filter(({ weightGradient }) => weightGradient) ?? [],
  }
  return {
    ...ratesOf(problem, { sets: [...sets], policies: allowed }),
    contextLayout,
    extents,
    sets: [...sets],
    policies: allowed,
    leastBackward,
    weightGradients,
    stages,
    work: workOf({ stages, weightGradients }, null),
    activations: allowed.map((policy) => activationTerms(layer, policy, extents, problem)),
    offloaded: allowed.map((policy) => activationTerms(layer, policy, extents, problem, 'host')),
    everything: activationTerms(layer, keepEverything, extents, problem),
    logits: logitTerm(unembedding(assumptions.residual), extents, precision, assumptions),
    gatheredStream: gatheredStreamTerm(extents, precision),
    gatheredKeys: gatheredKeyTerms(layer, extents, precision),
    stream,
    boundary: boundaryTerm(stream),
  }
}

/** Policies that the request allows. */
function allowedPolicies({ model, workload, assumptions }: Problem): readonly PolicyRow[] {
  const { activations, policies, recomputation } = assumptions
  const named = workload.rematerialization ?? policies
  const offered = offeredPolicies(activations, model).filter(({ name }) => named.includes(name))
  return [...offered, ...composedPolicies(named, activations, model)].map((policy) =>
    asRun(policy, recomputation),
  )
}
