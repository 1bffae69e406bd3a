/** States of a part of the model, weights, gradients and optimizer's, as a ZeRO stage shards them (formulas 10): those of its components, and norms, learned positions and routers beside them. */
import { compact } from '../../compact.ts'
import type { Problem } from '../../problem.ts'
import type { WeightKind } from '../../recipe/optimizer-row.ts'
import { type Axis, axisSet } from '../../sharding/axis.ts'
import { weightsOf } from '../../sharding/component.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import { elementsOf } from '../../sharding/elements.ts'
import { type Extents, monomial } from '../../sharding/monomial.ts'
import { stateShardings, type ZeroStage } from '../../sharding/states.ts'
import type { LayerPart } from '../../sharding/tables/training-layout.ts'
import { matrixOf } from '../compile/matrix.ts'
import { type Term, termOf } from '../compile/term.ts'
import { factorBytes, heldWeightBytes, stateBytes, updateBytes, updateFlops } from './optimizer.ts'

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
