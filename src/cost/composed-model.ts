/** The cost model of a composition of layers, as if every layer were their average. */
import type { Composition } from '../model/composition.ts'
import type { Problem } from '../problem.ts'
import { asRun, composedPolicies, keepEverything, offeredPolicies } from '../recipe/policy.ts'
import type { PolicyRow } from '../recipe/policy-row.ts'
import { type AxisSet, axisBit } from '../sharding/axis.ts'
import { zeroStages } from '../sharding/states.ts'
import type { ContextLayout } from '../sharding/tables/context-layouts.ts'
import { layerParts, unembedding } from '../sharding/tables/training-layout.ts'
import type { CompiledComponent, Window } from './compile/compile.ts'
import { extentsOf } from './compile/extents.ts'
import { boundaryTerm, streamTerm } from './compile/model-terms.ts'
import type { StageModel } from './compile/stage-model.ts'
import { type Compilations, composedStage, type Ingredients, layerBackward } from './composed-stage.ts'
import { workOf } from './compute/work.ts'
import { madeTerms } from './memory/expert-buffer.ts'
import { activationTerms, gatheredKeyTerms, gatheredStreamTerm, logitTerm } from './memory/memory.ts'
import { userBufferTerm } from './memory/user-buffers.ts'
import type { CostModel } from './model.ts'
import { ratesOf } from './posed.ts'

export function composedModel(
  problem: Problem,
  contextLayout: ContextLayout,
  composition: Composition,
  compilations: Compilations,
): CostModel {
  const { model, workload, precision, assumptions } = problem
  const extents = extentsOf(model, workload.sequenceLength)
  const layer = layerParts(model, assumptions.residual, contextLayout, composition)
  const policies = allowedPolicies(problem)
  const ingredients: Ingredients = { problem, extents, composition, layer, policies, compilations }
  const stages = zeroStages.map((zeroStage) => composedStage(ingredients, zeroStage))
  const leastBackward = layerBackward(ingredients, 0)
  const stream = streamTerm(layer, extents, problem)
  const sets = axesMovedOver(stages)
  const weightGradients = {
    layer: gradientProducts(leastBackward),
    head: stages[0] ? gradientProducts(stages[0].head.backward) : [],
  }
  return {
    ...ratesOf(problem, { sets, policies }),
    contextLayout,
    extents,
    sets,
    policies,
    leastBackward,
    weightGradients,
    stages,
    work: workOf({ stages, weightGradients }, null),
    activations: policies.map((policy) => activationTerms(layer, policy, extents, problem)),
    offloaded: policies.map((policy) => activationTerms(layer, policy, extents, problem, 'host')),
    everything: [
      ...activationTerms(layer, keepEverything, extents, problem),
      ...madeTerms(layer, extents, problem),
    ],
    logits: logitTerm(unembedding(assumptions.residual), extents, precision, assumptions),
    gatheredStream: gatheredStreamTerm(extents, precision),
    gatheredKeys: gatheredKeyTerms(layer, extents, precision),
    userBuffers: userBufferTerm(extents, precision),
    stream,
    boundary: boundaryTerm(stream),
  }
}

/** Sets of axes over which anything moves, in the order in which windows have them; stages hand on over that of the pipeline. */
function axesMovedOver(stages: readonly StageModel[]): readonly AxisSet[] {
  const windows = stages.flatMap(({ layer, embedding, head }) => [
    layer.forward,
    ...layer.backward,
    layer.gradients,
    layer.weights,
    ...windowsOf(embedding),
    ...windowsOf(head),
  ])
  return [
    ...new Set([...windows.flatMap(({ buckets }) => buckets.map(({ over }) => over)), axisBit.pipeline]),
  ]
}

function windowsOf({ forward, backward, gradients, weights }: CompiledComponent): readonly Window[] {
  return [forward, backward, gradients, weights]
}

function gradientProducts({ products }: Window): Window['products'] {
  return products.filter(({ weightGradient }) => weightGradient)
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
