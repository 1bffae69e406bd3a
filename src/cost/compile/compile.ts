/**
 * A derivation with the request's numbers in: what each window of a step computes and moves, as terms in which only a
 * mesh is missing. This is done once per ZeRO stage and policy; every candidate reads it.
 *
 * Weights of one component that move over the same axes in the same pass move as one bucket, as frameworks do.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { compact } from '../../compact.ts'
import type { Attended } from '../../model/flops.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import { type ArrayKind, isGatheredOfCopies, isOfCopies } from '../../sharding/array.ts'
import { type Axis, axesOfPositions, axisBit } from '../../sharding/axis.ts'
import { type Derivation, movesOf, productsOf } from '../../sharding/derive.ts'
import { type Extents, monomial } from '../../sharding/monomial.ts'
import type { Move, Pass } from '../../sharding/move.ts'
import type { Product } from '../../sharding/product.ts'
import type { Bytes } from '../../units.ts'
import { castBytes } from '../compute/casts.ts'
import { activationType, movedType } from './array-type.ts'
import { type Call, callOf, isWaitedFor } from './call.ts'
import { none, one, spreadTerm, type Term, termOf } from './term.ts'

export interface CompiledProduct {
  readonly flops: Term
  /** Number of matmuls that the FLOPs are spread over. */
  readonly matmuls: Term
  readonly bytes: readonly Term[]
  /** Whether it runs at the rate of attention's kernel: scans do. */
  readonly attention: boolean
  /** Whether it multiplies by several experts, with one matmul for each. */
  readonly grouped: boolean
  /** For attention, the FLOPs of one key, for each time that a kernel starts its rows again. */
  readonly startedAgain: readonly Term[]
  readonly recomputed: boolean
  /** Whether it makes the gradient of a weight, which nothing in the backward pass waits for. */
  readonly weightGradient: boolean
  /** How often a layer runs it, on average: the share of the layers that do. */
  readonly times: number
}

export type Bucket = Call<Term>

/** Products and calls that run together: within a window they may overlap. */
export interface Window {
  readonly products: readonly CompiledProduct[]
  readonly buckets: readonly Bucket[]
}

export interface CompiledComponent {
  readonly forward: Window
  readonly backward: Window
  /** Moves that happen once a step: gradients into the optimizer's sharding, and updated weights back. */
  readonly gradients: Window
  readonly weights: Window
}

/** The backward pass of the fused attention kernel computes the scores again: five products for the forward pass's two. A scan makes its states again, taken as as much. */
const attentionBackward = 5 / 4

/** Without `attended`, dot products are charged for what the mask leaves. */
export function compile(
  derivation: Derivation,
  extents: Extents,
  precision: Precision,
  assumptions: Assumptions,
  attended = masked(assumptions),
): CompiledComponent {
  const derived = productsOf(derivation)
  const fusedAccumulation = assumptions.fusedAccumulation || !assumptions.gradientBuffer
  const [kept, computed] = [elementBytes[activationType(precision)], elementBytes[precision.compute]]
  const cast = (pass: Pass) => {
    const bytes = assumptions.elementwise ? castBytes(derived, pass, extents, kept, computed) : []
    return bytes.length > 0 && streaming(bytes)
  }
  const products = (pass: Pass) =>
    compact(
      derived
        .filter(
          ({ pass: own, kind }) =>
            own === pass && (kind === 'matmul' || kind === 'attention' || kind === 'scan'),
        )
        .filter(({ kind }) => kind === 'matmul' || assumptions.attentionFlops !== 'none')
        .map((product) => compiledProduct(product, extents, precision, assumptions, attended)),
      cast(pass),
      !fusedAccumulation && added(derived, pass, extents, precision),
    )
  const buckets = (pass: Pass, every: Move['every']) =>
    bucketed(
      movesOf(derivation).filter((move) => move.pass === pass && move.every === every),
      extents,
      (kind) => elementBytes[movedType(kind, precision, assumptions)],
    )
  return {
    forward: { products: products('forward'), buckets: buckets('forward', 'microbatch') },
    backward: { products: products('backward'), buckets: buckets('backward', 'microbatch') },
    gradients: { products: [], buckets: buckets('backward', 'step') },
    weights: { products: [], buckets: buckets('step', 'step') },
  }
}

function masked({ attentionFlops }: Assumptions): Attended {
  const left = attentionFlops === 'causal' ? 1 / 2 : 1
  return { met: left, scored: left }
}

/** Whether it scores positions for an index. */
function ofIndex({ operands }: Product): boolean {
  return operands.some(({ array }) => array.role === 'index')
}

function compiledProduct(
  product: Product,
  extents: Extents,
  precision: Precision,
  assumptions: Assumptions,
  attended: Attended,
): CompiledProduct {
  const attention = product.kind !== 'matmul'
  const met = product.kind === 'attention' ? attended[ofIndex(product) ? 'scored' : 'met'] : 1
  const kernel = attention && product.pass === 'backward' && !product.recomputed ? attentionBackward : 1
  const operandBytes = (kind: ArrayKind) => {
    if (kind === 'gradient' && assumptions.gradientBuffer && assumptions.fusedAccumulation)
      return 2 * elementBytes[precision.gradients]
    return elementBytes[kind === 'weight' ? precision.weights : activationType(precision)]
  }
  return {
    flops: termOf(product.flops, extents, met * kernel),
    matmuls:
      attention || product.matrices.extents.length === 0
        ? one
        : spreadTerm(termOf(product.matrices, extents, 1)),
    bytes: product.operands.map(({ elements, array }) => {
      const bytes = termOf(elements, extents, operandBytes(array.kind))
      return isGatheredOfCopies(array) ? spreadTerm(bytes) : bytes
    }),
    attention,
    grouped: !attention && product.matrices.extents.length > 0 && (extents.E ?? 1) > 1,
    startedAgain: attention ? startedAgain(product, extents, kernel) : [],
    recomputed: product.recomputed,
    weightGradient: product.operands.some(({ array }) => array.kind === 'gradient'),
    times: 1,
  }
}

/** Kernels that add the gradients of weights to their buffers: each reads what the matmul wrote, and the buffer, and writes that. */
function added(
  derived: readonly Product[],
  pass: Pass,
  extents: Extents,
  precision: Precision,
): readonly CompiledProduct[] {
  const bytes = elementBytes[activationType(precision)] + 2 * elementBytes[precision.gradients]
  return derived
    .filter((product) => product.pass === pass && product.kind === 'matmul')
    .flatMap(({ operands }) => operands)
    .filter(({ array }) => array.kind === 'gradient')
    .map(({ elements }) => ({ ...streaming([termOf(elements, extents, bytes)]), weightGradient: true }))
}

/**
 * Where keys are passed around, rows are started again 3(c - 1)/4 times; the c comes from
 * leaving the context axis out of what divides the queries.
 */
function startedAgain(product: Product, extents: Extents, kernel: number): readonly Term[] {
  if (!product.operands.some(({ array }) => array.kind === 'passed')) return []
  const queries = product.work.filter(({ label }) => label !== keyPositions)
  const axes = queries.flatMap((dimension) => dimension.axes)
  const rows = (over: readonly Axis[], times: number) =>
    termOf(
      monomial(
        2,
        queries.map(({ extent }) => extent),
        over,
      ),
      extents,
      times * kernel,
    )
  const apart = axes.filter((axis) => !axesOfPositions.includes(axis))
  return [rows(apart, 3 / 4), rows(axes, -3 / 4)]
}

/** Label of the positions of keys in attention, as opposed to those of queries. */
const keyPositions = 'S'

/** A product that streams through HBM and has no FLOPs that count. */
export function streaming(bytes: readonly Term[]): CompiledProduct {
  return {
    flops: none,
    matmuls: one,
    bytes,
    attention: false,
    grouped: false,
    startedAgain: [],
    recomputed: false,
    weightGradient: false,
    times: 1,
  }
}

function bucketed(
  moves: readonly Move[],
  extents: Extents,
  bytesOf: (kind: ArrayKind) => Bytes,
): readonly Bucket[] {
  const buckets = new Map<string, Move[]>()
  moves.forEach((move, index) => {
    const joins = isWaitedFor(move.kind) ? `${index}` : `${move.kind} ${move.operation} ${move.over.join()}`
    buckets.set(joins, [...(buckets.get(joins) ?? []), move])
  })
  return [...buckets.values()].flatMap((joined) =>
    asHeld(
      callOf(joined as [Move, ...Move[]], ({ elements, kind }) => termOf(elements, extents, bytesOf(kind))),
    ),
  )
}

/**
 * Copies of tokens are gathered over tensor ranks, and what these make of them is summed, only where each expert is cut over these. Where
 * they hold whole experts, each sends its own copies to the ranks of both axes: what such a group sees is as many times more.
 */
function asHeld(call: Bucket): readonly Bucket[] {
  if (!call.moves.every(({ volume }) => isOfCopies(volume))) return [call]
  const sliced = { ...call, held: 'sliced' } as const
  if (call.over === axisBit.tensor) return [sliced]
  if (!call.routed || call.over !== axisBit.expert) return [call]
  const bytes = call.bytes.map((term) => ({ ...term, mask: term.mask & ~axisBit.tensor }))
  return [sliced, { ...call, over: call.over | axisBit.tensor, bytes, held: 'whole' }]
}

/** A window that only a share of the layers has: its products and collectives take as long as ever, but count that often. */
export function weighted({ products, buckets }: Window, times: number): Window {
  if (times === 1) return { products, buckets }
  return {
    products: products.map((product) => ({ ...product, times: times * product.times })),
    buckets: buckets.map((bucket) => ({ ...bucket, times: times * bucket.times })),
  }
}
