/**
 * How long one layer's component takes under one layout, forwards, on one mesh and placement.
 *
 *   product      max(FLOPs / (peak · e), bytes / (HBM · e_hbm)),  bytes = weights (+ activations); caches at HBM · e_cache; in prefill and in
 *                fewer than 16 bits also a start, once for the matmuls of one input
 *   attention    the same for each group of layers with the same context: FLOPs of the positions that the mask leaves
 *   scan         at the rate of attention, with the state read and written; what its chain of kernels streams counts between products
 *   component    its products one after another, beside its collectives: expected, everything overlapped (lower), or
 *                nothing (upper), as in cost/communication/traffic.ts
 *
 * The overhead of a layer covers what small kernels lose (assumptions/assumptions.ts). Under `book`, activations stay on the chip and
 * attention is the streaming of its cache, as chapter 7 has it; where T/C and S are large, as in prefill, that says little, and
 * `attentionFlops` says what is charged.
 */
import type { NetworkCosts } from '../../cost/communication/network.ts'
import {
  addCall,
  type Beside,
  type Bound,
  cleared,
  type Traffic,
  windowTime,
} from '../../cost/communication/traffic.ts'
import type { ComputeRates } from '../../cost/compute/compute.ts'
import type { Bytes, Seconds } from '../../units.ts'
import {
  type CompiledCollective,
  type CompiledLayout,
  type CompiledProduct,
  routedOf,
  unroutedOf,
} from '../layout/compiled-layout.ts'
import { type Sizes, withContext } from '../layout/local-sizes.ts'
import { sumOf } from '../layout/local-term.ts'
import type { LayerPart, Routed } from './turns.ts'

/** Layers whose queries attend to the same positions, as a share of all layers that attend. */
export interface ContextGroup extends Context {
  readonly share: number
  /** The same where an index chooses positions; the group itself where there is none. */
  readonly chosen: Context
}

export interface Context {
  /** Positions whose keys and values are read. */
  readonly read: number
  /** Positions that a new one attends to on average: those that the mask and the window leave. */
  readonly met: number
}

/**
 * Positions of the kernels that the efficiency of attention is of are 8192 and more: a query of theirs meets this many keys, and its rows of
 * tiles are started once. As a start is worth k keys, kernels without starts reach 1 + k/4096 of that efficiency.
 */
const keysOfMeasured = 4096

/** What the time of a product depends on, beside the product. */
export interface ProductConditions extends Pick<Beside, 'assumptions'> {
  readonly rates: ComputeRates
  readonly contexts: readonly ContextGroup[]
  readonly sizes: Sizes
}

/** What stays the same while a search tries meshes and layouts. */
export interface Conditions extends Beside, ProductConditions {
  /** Scratch space, written anew for each component. */
  readonly traffic: Traffic
}

/** Where the time of one layer goes: arithmetic and streaming each as if alone; compute takes the larger of both for each product. */
export interface ComponentTime {
  readonly arithmetic: Seconds
  readonly weights: Seconds
  readonly caches: Seconds
  /** Time to stream the other operands of products, and of kernels between products. */
  readonly activations: Seconds
  readonly compute: Seconds
  readonly communication: Seconds
  /** Dispatch and combine alone, where they run beside another half's compute and are left out of `expected` and `lower`; else 0. */
  readonly routed: { readonly expected: Routed; readonly lower: Routed }
  readonly lower: Seconds
  readonly expected: Seconds
  readonly upper: Seconds
}

/** Time of moves beside so much computing, which is part of it. One is free where the placement has no group of more than one chip for it. */
export function moveSeconds(
  moves: readonly CompiledCollective[],
  costs: NetworkCosts,
  given: Conditions,
  bound: Bound,
  beside: Seconds = 0,
): Seconds {
  return windowTime(beside, moveTraffic(moves, costs, given), bound)
}

/** What moves put on the network, in the scratch space of the conditions: the next call writes over it. */
export function moveTraffic(
  moves: readonly CompiledCollective[],
  costs: NetworkCosts,
  given: Conditions,
): Traffic {
  cleared(given.traffic)
  for (const call of moves) {
    const cost = costs[call.over]
    if (cost && cost.chips > 1) addCall(given.traffic, call, sumOf(call.moved, given.sizes), cost, given)
  }
  return given.traffic
}

/** Collectives of a component that stand beside what it computes itself: with two halves, dispatch and combine stand beside the other's. */
export function waitedMoves(layout: CompiledLayout, halves: 1 | 2): readonly CompiledCollective[] {
  return halves === 1 ? layout.collectives : unroutedOf(layout)
}

/** Time in a layer that is average also in whether it runs the product at all. */
export function productSeconds(product: CompiledProduct, given: ProductConditions): Seconds {
  return product.share * meanSeconds(product, given, rooflineSeconds)
}

/** What a component of a layer with experts computes, by its place in the turns of two halves: kernels between products stand with most of these. */
export function partSeconds(
  { elementwise, products, places }: CompiledLayout,
  given: ProductConditions,
): Readonly<Record<LayerPart, Seconds>> {
  const parts = { projections: 0, attention: 0, experts: 0, shared: 0 }
  for (const product of products) parts[product.part] += productSeconds(product, given)
  const between = sumOf(elementwise, given.sizes) * given.rates.secondsPerByte
  parts[places === null ? 'attention' : 'experts'] += between
  return parts
}

export function computeSeconds(
  { elementwise, products }: CompiledLayout,
  given: ProductConditions,
  secondsOf: (product: CompiledProduct) => Seconds = (product) => productSeconds(product, given),
): Seconds {
  let total = sumOf(elementwise, given.sizes) * given.rates.secondsPerByte
  for (const product of products) total += secondsOf(product)
  return total
}

/** Where the time of a component goes, for a person to read. `halves` as in the pass. */
export function componentTime(
  layout: CompiledLayout,
  costs: NetworkCosts,
  given: Conditions,
  halves: 1 | 2 = 1,
): ComponentTime {
  const parts = {
    ...{ arithmetic: 0, weights: 0, caches: 0 },
    activations: sumOf(layout.elementwise, given.sizes) * given.rates.secondsPerByte,
  }
  const { secondsPerByte } = given.rates
  for (const product of layout.products) {
    const { share } = product
    const weights = meanSeconds(product, given, () => sumOf(product.weights, given.sizes) * secondsPerByte)
    const caches = meanSeconds(product, given, () => cacheBytes(product, given) * secondsPerByte)
    const streamed = meanSeconds(product, given, () => streamedBytes(product, given) * secondsPerByte)
    parts.arithmetic += share * meanSeconds(product, given, arithmeticSeconds)
    parts.weights += share * weights
    parts.caches += share * caches
    parts.activations += share * (streamed - weights - caches)
  }
  const compute = computeSeconds(layout, given)
  const at = (moves: readonly CompiledCollective[], beside: Seconds, bound: Bound) =>
    moveSeconds(moves, costs, given, bound, beside)
  const waitedFor = waitedMoves(layout, halves)
  const way = (of: keyof Routed, bound: Bound) => (halves === 1 ? 0 : at(routedOf(layout, of), 0, bound))
  const routed = (bound: Bound) => ({ dispatch: way('dispatch', bound), combine: way('combine', bound) })
  const upper = at(layout.collectives, compute, 'upper')
  return {
    ...parts,
    compute,
    communication: upper - compute,
    routed: { expected: routed('expected'), lower: routed('lower') },
    lower: at(waitedFor, compute, 'lower'),
    expected: at(waitedFor, compute, 'expected'),
    upper,
  }
}

type SecondsOf = (product: CompiledProduct, counted: number, given: ProductConditions) => Seconds

/** Time in an average layer that runs the product. For attention, each group of layers sets S to the positions that it reads, for as long as it is costed. */
function meanSeconds(product: CompiledProduct, given: ProductConditions, secondsOf: SecondsOf): Seconds {
  if (product.kind !== 'attention') return secondsOf(product, 1, given)
  let seconds = 0
  for (const group of given.contexts) {
    const context = product.chosen ? group.chosen : group
    const counted = countedShare(context, given)
    seconds += group.share * withContext(given.sizes, context.read, () => secondsOf(product, counted, given))
  }
  return seconds
}

/** The share of the positions of a context that are charged for. */
function countedShare({ read, met }: Context, { assumptions }: ProductConditions): number {
  const started = assumptions.attentionHalfKeys
  const sustained = 1 + started / keysOfMeasured
  return { none: 0, causal: (met + started) / sustained, full: read }[assumptions.attentionFlops] / read
}

function rooflineSeconds(product: CompiledProduct, counted: number, given: ProductConditions): Seconds {
  const { rates, assumptions } = given
  const arithmetic = arithmeticSeconds(product, counted, given)
  const streamed = streamedBytes(product, given) * rates.secondsPerByte
  const started = product.starts && rates.narrow ? assumptions.inferenceNarrowMatmulSeconds : 0
  return Math.max(arithmetic, streamed) + started
}

function arithmeticSeconds(
  { kind, flops }: CompiledProduct,
  counted: number,
  { rates, sizes }: ProductConditions,
): Seconds {
  const perFlop = kind === 'matmul' ? rates.secondsPerFlop : rates.secondsPerAttentionFlop
  return sumOf(flops, sizes) * counted * perFlop
}

function streamedBytes(product: CompiledProduct, given: ProductConditions): Bytes {
  const lasting = sumOf(product.weights, given.sizes) + cacheBytes(product, given)
  return given.assumptions.elementwise ? lasting + sumOf(product.activations, given.sizes) : lasting
}

/** Bytes of caches, and more where they stream slower than all else. */
function cacheBytes({ caches }: CompiledProduct, { assumptions, sizes }: ProductConditions): Bytes {
  return (assumptions.hbmEfficiency / assumptions.cacheEfficiency) * sumOf(caches, sizes)
}
