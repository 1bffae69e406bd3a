/**
 * Bytes on the fullest chip of a stage (formulas 10, 11):
 *
 *   states        weights, gradients, optimizer, each as its ZeRO stage shards it
 *   activations   what the policies of the stage's layers keep, times the microbatches in flight
 *   workspace     one layer's live tensors while it is recomputed; and the larger of: two layers' gathered weights under
 *                 ZeRO-3, one layer's unscattered gradients under ZeRO-2 and 3, and the residual gathered over tensor;
 *                 or, on the last stage, the head's own and its logits in fp32 with their bf16 copy
 *   reserve       framework and fragmentation
 */
import type { Assumptions } from '../assumptions.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Precision, TrainWorkload } from '../problem.ts'
import { type Axis, axisSet } from '../sharding/axis.ts'
import { arrayOf, type Component, weightsOf } from '../sharding/component.ts'
import { elementsOf } from '../sharding/elements.ts'
import { type Extents, monomial } from '../sharding/monomial.ts'
import { stateShardings, type ZeroStage } from '../sharding/states.ts'
import type { LayerPart } from '../sharding/training-layout.ts'
import type { Bytes } from '../units.ts'
import { activationType } from './compile.ts'
import { elementBytes } from './element.ts'
import { stateBytes } from './optimizer.ts'
import type { Policy } from './policies.ts'
import { keptArrays } from './recomputation.ts'
import { type Scale, type Term, termOf, termValue } from './term.ts'

/** Bytes of the states of one part of the model, per ZeRO stage's sharding. */
export interface StateTerms {
  readonly weights: readonly Term[]
  readonly gradients: readonly Term[]
  readonly optimizer: readonly Term[]
  /** The same weights as gathered for use, and their gradients before they are scattered. */
  readonly gathered: readonly Term[]
  readonly unscattered: readonly Term[]
  /** Elements as the optimizer holds them. */
  readonly updated: readonly Term[]
}

export function stateTerms(
  parts: readonly LayerPart[],
  extraRows: number,
  stage: ZeroStage,
  extents: Extents,
  workload: TrainWorkload,
  precision: Precision,
  assumptions: Assumptions,
): StateTerms {
  const bytes = stateBytes(workload.optimizer, precision, assumptions)
  const sharding = stateShardings[stage]
  const terms = (times: number, axes: readonly Axis[]): readonly Term[] => {
    const further = axisSet(axes)
    const arrays = parts.flatMap(({ component, times: share }) =>
      weightsOf(component).map((weight) => termOf(elementsOf(weight), extents, share * times)),
    )
    // Norms and learned positions: rows of width D that tensor parallelism replicates.
    const rows = extraRows > 0 ? [termOf(monomial(extraRows, ['D'], []), extents, times)] : []
    return [...arrays, ...rows].map((term) => ({ ...term, mask: term.mask | further }))
  }
  return {
    weights: terms(bytes.weights, sharding.weights),
    gradients: terms(bytes.gradients, sharding.gradients),
    optimizer: terms(bytes.optimizer, sharding.optimizer),
    gathered: terms(bytes.weights, []),
    unscattered: terms(bytes.gradients, []),
    updated: terms(1, sharding.optimizer),
  }
}

/** What one layer keeps of one microbatch under a policy. */
export function activationTerms(
  parts: readonly LayerPart[],
  policy: Policy,
  extents: Extents,
  precision: Precision,
  assumptions: Assumptions,
): readonly Term[] {
  const size = elementBytes[activationType(precision)]
  const first = parts[0]?.component
  const arrayTerm = (component: Component, name: string, times: number): readonly Term[] => {
    const array = component.arrays[name]
    if (!array) return []
    return [termOf(elementsOf(array), extents, times * size)]
  }
  if (!first) return []
  if (assumptions.activations === 'book') {
    const counts = policy.book ?? { stream: 0, inner: 0 }
    const inner = parts.flatMap(({ component, times }) =>
      counts.inner > 0 ? arrayTerm(component, 'Tmp', times * counts.inner) : [],
    )
    return [...arrayTerm(first, 'In', counts.stream), ...inner]
  }
  // In a parallel block nothing is added between attention and MLP: one stream tensor.
  const streams = parts.length === 1 ? 1 : policy.stream
  return [
    ...arrayTerm(first, 'In', streams),
    ...parts.flatMap(({ component, times }) =>
      keptArrays(component, policy).flatMap((name) => arrayTerm(component, name, times)),
    ),
  ]
}

/** On the last stage: logits in fp32, and the copy in the activations' type that the matmul wrote. */
export function logitTerm(head: Component, extents: Extents, precision: Precision): Term {
  return termOf(elementsOf(arrayOf(head, 'Logits')), extents, 4 + elementBytes[activationType(precision)])
}

/** The residual stream gathered over tensor: the operand of the projections, and its gradient. */
export function gatheredStreamTerm(extents: Extents, precision: Precision): Term {
  const value = monomial(
    2 * elementBytes[activationType(precision)],
    ['B', 'T', 'D'],
    ['data', 'fsdp', 'context', 'expert', 'tensor2'],
  )
  return termOf(value, extents, 1)
}

export function sumTerms(terms: readonly Term[], scale: Scale): number {
  let sum = 0
  for (const term of terms) sum += termValue(term, scale)
  return sum
}

export function reserveBytes(hbmBytes: Bytes, assumptions: Assumptions): Bytes {
  return assumptions.reserveFraction * hbmBytes + assumptions.reserveBytes
}

/** Norm weights per layer, in rows of width D. */
export function normRows(model: Transformer): number {
  return model.parallelBlocks ? 1 : 2
}
