/**
 * Bytes on the fullest chip of a stage (formulas 10, 11):
 *
 *   states        weights, gradients, optimizer, each as its ZeRO stage shards it
 *   activations   what the policies of the stage's layers keep, times the microbatches in flight
 *   workspace     the larger of: a layer's live tensors while it is recomputed, what the host sends ahead for the next, gathered
 *                 weights of it (and of the next) under ZeRO-3, its unscattered gradients under ZeRO-2 and 3, and the residual
 *                 gathered over tensor; or, on the last stage, the head's own and its logits, with their copy in fp32 if
 *                 there is one, all of them or one of c pieces of the microbatch at a time
 *   reserve       framework and fragmentation
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { compact } from '../../compact.ts'
import { streamsKept } from '../../model/residual-streams.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Precision, Problem, Setting } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { WeightKind } from '../../recipe/optimizer-row.ts'
import type { PolicyRow } from '../../recipe/policy-row.ts'
import { layerShare, type ShardedArray, without } from '../../sharding/array.ts'
import { type Axis, axisSet } from '../../sharding/axis.ts'
import { arrayOf, arrayOfRole, arraysOf, type Component, weightsOf } from '../../sharding/component.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import { elementsOf } from '../../sharding/elements.ts'
import { type Extents, monomial } from '../../sharding/monomial.ts'
import { stateShardings, type ZeroStage } from '../../sharding/states.ts'
import { type LayerPart, layersOfParts } from '../../sharding/tables/training-layout.ts'
import { activationType } from '../compile/array-type.ts'
import { matrixOf } from '../compile/matrix.ts'
import { type Term, termOf } from '../compile/term.ts'
import { bufferedOf } from './expert-buffer.ts'
import { factorBytes, heldWeightBytes, stateBytes, updateBytes, updateFlops } from './optimizer.ts'
import { keptArrays, operandsOf } from './recomputation.ts'

/** Bytes of the states of one part of the model, sharded as one ZeRO stage does. */
export interface StateTerms {
  readonly weights: readonly Term[]
  readonly gradients: readonly Term[]
  readonly optimizer: readonly Term[]
  /** The same weights gathered for use, and their gradients before they are scattered. */
  readonly gathered: readonly Term[]
  readonly unscattered: readonly Term[]
  /** Bytes that the optimizer reads and writes once a step, and its FLOPs beyond elementwise ones. */
  readonly updated: readonly Term[]
  readonly updateFlops: readonly Term[]
}

/** Weights beside those of the components, in rows of width D. */
export interface RowWeights {
  /** Norms and learned positions. */
  readonly vectors: number
  /** Routers of E rows. */
  readonly routers: number
}

export function stateTerms(
  parts: readonly LayerPart[],
  rows: RowWeights,
  stage: ZeroStage,
  extents: Extents,
  { workload: { optimizer }, precision, assumptions }: Problem,
): StateTerms {
  const sharding = stateShardings[stage]
  const bytes = (kind: WeightKind) => stateBytes(optimizer, precision, assumptions, kind)
  const held = heldWeights(parts, rows, extents)
  const terms = (each: (weight: HeldWeight) => readonly Term[], axes: readonly Axis[]): readonly Term[] => {
    const further = axisSet(axes)
    return held.flatMap(each).map((term) => ({ ...term, mask: term.mask | further }))
  }
  const perParameter = (times: (kind: WeightKind) => number, axes: readonly Axis[]) =>
    terms(({ kind, elements }) => [elements(times(kind))], axes)
  const factors = (times: number) =>
    terms(({ kind, vectors }) => {
      const each = factorBytes(optimizer, precision, kind)
      return each > 0 ? vectors(times * each) : []
    }, sharding.optimizer)
  return {
    weights: perParameter(
      (kind) => heldWeightBytes(precision, assumptions, kind, sharding),
      sharding.weights,
    ),
    gradients: perParameter((kind) => bytes(kind).gradients, sharding.gradients),
    optimizer: [...perParameter((kind) => bytes(kind).optimizer, sharding.optimizer), ...factors(1)],
    gathered: perParameter((kind) => bytes(kind).weights, []),
    unscattered: perParameter((kind) => bytes(kind).gradients, []),
    updated: [...perParameter((kind) => updateBytes(bytes(kind)), sharding.optimizer), ...factors(2)],
    updateFlops: terms(({ kind, rows, columns, elements }) => {
      const each = updateFlops(optimizer, kind, rows, columns)
      return each > 0 ? [elements(each)] : []
    }, sharding.optimizer),
  }
}

/** A weight as optimizers see it. */
interface HeldWeight {
  readonly kind: WeightKind
  readonly rows: number
  readonly columns: number
  /** Terms with `times` of something for each element, and for each row and each column of its matrices. */
  readonly elements: (times: number) => Term
  readonly vectors: (times: number) => readonly Term[]
}

function heldWeights(
  parts: readonly LayerPart[],
  { vectors, routers }: RowWeights,
  extents: Extents,
): readonly HeldWeight[] {
  const matrices = parts.flatMap(({ component, times: share }) =>
    weightsOf(component).map((weight): HeldWeight => {
      const { rowVectors, columnVectors, rows, columns } = matrixOf(weight)
      return {
        kind: componentRow(component).place === 'layer' ? 'matrix' : 'table',
        rows: rows(extents),
        columns: columns(extents),
        elements: (times) => termOf(elementsOf(weight), extents, share * times),
        vectors: (times) =>
          [rowVectors, columnVectors].map((vector) => termOf(vector, extents, share * times)),
      }
    }),
  )
  // Tensor and expert parallelism replicate all of them.
  return compact<HeldWeight>(
    ...matrices,
    vectors > 0 && {
      ...{ kind: 'vector', rows: 1, columns: extents.D ?? 1 },
      elements: (times) => termOf(monomial(vectors, ['D'], []), extents, times),
      vectors: () => [],
    },
    routers > 0 && (extents.E ?? 1) > 1 && routerWeight(routers, extents),
  )
}

/**
 * A matrix of a row for each expert, of which a single one needs none, in the types of other weights (Megatron-LM's TopKRouter: NVIDIA/Megatron-LM,
 * megatron/core/transformer/moe/router.py). Its gradient is among what is held and not among what is sent, and it is multiplied in no time:
 * E columns beside the three of width G of each expert that a token meets.
 */
function routerWeight(routers: number, extents: Extents): HeldWeight {
  const over = (letters: readonly string[]) => (times: number) =>
    termOf(monomial(routers, letters, []), extents, times)
  return {
    ...{ kind: 'matrix', rows: extents.E ?? 1, columns: extents.D ?? 1 },
    elements: over(['E', 'D']),
    vectors: (times) => [over(['E'])(times), over(['D'])(times)],
  }
}

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
  const value = monomial(
    2 * elementBytes[activationType(precision)],
    ['B', 'T', 'D'],
    ['data', 'fsdp', 'context', 'expert', 'tensor2'],
  )
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
