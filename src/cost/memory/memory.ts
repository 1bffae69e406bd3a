/**
 * Bytes on the fullest chip of a stage (formulas 10, 11):
 *
 *   states        weights, gradients, optimizer, each as its ZeRO stage shards it (state-terms.ts)
 *   activations   what the policies of the stage's layers keep, times the microbatches in flight
 *   workspace     user buffers of Transformer Engine, if there are any (user-buffers.ts), and the larger of: a layer's live tensors while it is recomputed, what the host sends ahead for the next, gathered
 *                 weights of it (and of the next) under ZeRO-3, its unscattered gradients under ZeRO-2 and 3, and the residual
 *                 gathered over tensor where it does not lie in those; or, on the last stage, the head's own and its logits, with their copy in fp32 if
 *                 there is one, all of them or one of c pieces of the microbatch at a time
 *   reserve       framework and fragmentation
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { compact } from '../../compact.ts'
import { streamsKept } from '../../model/residual-streams.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Precision, Setting } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { PolicyRow } from '../../recipe/policy-row.ts'
import { layerShare, type ShardedArray, without } from '../../sharding/array.ts'
import { axisSet } from '../../sharding/axis.ts'
import { arrayOf, arrayOfRole, arraysOf, type Component } from '../../sharding/component.ts'
import { elementsOf } from '../../sharding/elements.ts'
import { type Extents, monomial } from '../../sharding/monomial.ts'
import { type LayerPart, layersOfParts } from '../../sharding/tables/training-layout.ts'
import type { Bytes } from '../../units.ts'
import { activationType } from '../compile/array-type.ts'
import { type Term, termOf } from '../compile/term.ts'
import { bufferedOf } from './expert-buffer.ts'
import { keptArrays, operandsOf } from './recomputation.ts'

interface Kept extends Pick<Setting, 'precision'> {
  readonly model: Pick<Transformer, 'layerPattern' | 'residualStreams'>
  readonly assumptions: Pick<Assumptions, 'activations' | 'narrowOperands'>
}

/** What one layer keeps of one microbatch under a policy, on the chip or on its host. */
export function activationTerms(
  parts: readonly LayerPart[],
  policy: PolicyRow,
  extents: Extents,
  { model, precision, assumptions: { activations, narrowOperands } }: Kept,
  place: 'chip' | 'host' = 'chip',
): readonly Term[] {
  const size = elementBytes[activationType(precision)]
  const first = parts[0]?.component
  const whole = layersOfParts(parts, model)
  const terms = (arrays: readonly ShardedArray[], times: number, bytes = size): readonly Term[] =>
    arrays.map((array) => bufferedOf(array, extents, times * bytes))
  const ofOperand = narrowOperands ? Math.min(size, elementBytes[precision.compute]) : size
  if (!first) return []
  const stream = arraysOf(first, 'input')
  if (place === 'host' && !policy.host) return []
  if (activations === 'book') {
    const counts = policy.book ?? { stream: 0, inner: 0 }
    const inner = parts.flatMap(({ component, times }) =>
      counts.inner > 0 ? terms(arraysOf(component, 'inner'), times * counts.inner) : [],
    )
    return [...terms(stream, whole * counts.stream), ...inner]
  }
  // A parallel block has one stream tensor, as has a layer with a mixer or an MLP alone: nothing is added between the two.
  const parallel = parts.length === 1 || model.layerPattern !== undefined
  const { host } = policy
  const away = (host?.input ? 1 : 0) + (host?.sum && !parallel ? 1 : 0)
  const streams = place === 'host' ? away : (parallel ? 1 : policy.stream) - away
  const isHere = (name: string) => (host?.arrays.includes(name) ?? false) === (place === 'host')
  return compact(
    streams > 0 && terms(stream, whole * streamsKept(model, streams)),
    parts.flatMap(({ component, times }) => {
      const operands = operandsOf(component)
      return keptArrays(component, policy)
        .filter(isHere)
        .flatMap((name) =>
          terms(arraysNamed(component, name), times, operands.includes(name) ? ofOperand : size),
        )
    }),
  )
}

function arraysNamed({ arrays }: Component, name: string): readonly ShardedArray[] {
  const array = arrays[name]
  return array ? [array] : []
}

/**
 * Bytes of the logits on the last stage, one piece at a time: in the activations' type as the matmul wrote them, and beside that
 * a copy in fp32; or once, where a compiler casts them as it reads them and writes their gradient over them. Stages that all take the
 * loss share them out.
 */
export function logitTerm(
  head: Component,
  extents: Extents,
  precision: Precision,
  { lossChunks, logitsInFp32, endsOnEveryStage }: Assumptions,
): Term {
  const written = elementBytes[activationType(precision)]
  const each = written + (logitsInFp32 ? 4 : 0)
  const term = termOf(elementsOf(arrayOfRole(head, 'logits')), extents, each / lossChunks)
  return endsOnEveryStage ? { ...term, mask: term.mask | axisSet(['pipeline']) } : term
}

/** The residual stream gathered over tensor: the operand of the projections, and its gradient. */
export function gatheredStreamTerm(extents: Extents, precision: Precision): Term {
  return wholeStreamTerm(extents, 2 * elementBytes[activationType(precision)])
}

/** So many bytes for each element of the residual stream that a tensor group shares. */
export function wholeStreamTerm(extents: Extents, bytes: Bytes): Term {
  const value = monomial(bytes, ['B', 'T', 'D'], ['data', 'fsdp', 'context', 'expert', 'tensor2'])
  return termOf(value, extents, 1)
}

/** Keys and values that attention meets, and their gradients: gathered over context, and a chip's own share. */
export interface GatheredKeys {
  readonly whole: readonly Term[]
  readonly own: readonly Term[]
}

/** As a layer that attends declares them: in latent attention values are narrower than keys. */
export function gatheredKeyTerms(
  parts: readonly LayerPart[],
  extents: Extents,
  precision: Precision,
): GatheredKeys {
  const bytes = 2 * elementBytes[activationType(precision)]
  const met = parts.flatMap(({ component }) =>
    component.einsums.filter(({ keys }) => keys).map(({ right }) => ofOneLayer(arrayOf(component, right))),
  )
  const terms = (arrays: readonly ShardedArray[]) =>
    arrays.map((array) => termOf(elementsOf(array), extents, bytes))
  return { whole: terms(met.map((array) => without(array, ['context']))), own: terms(met) }
}

/** The array in a layer that has it, whatever the share of the layers that do. */
function ofOneLayer(array: ShardedArray): ShardedArray {
  return { ...array, dimensions: array.dimensions.filter(({ label }) => label !== layerShare) }
}
