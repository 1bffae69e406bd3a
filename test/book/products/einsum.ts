/**
 * One einsum as a component: derived, compiled and costed by the same code as a layer's. Arrays are written in the
 * algebra's notation (`B_X D_Y`). An array of kind `weight` has the weights' element type, one of kind `activation`
 * that of activations, which move in bf16 even if the arithmetic is int8.
 */

import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { book } from '../../../src/assumptions/book.ts'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import {
  addBuckets,
  bucketBytes,
  createTraffic,
  windowTime,
} from '../../../src/cost/communication/traffic.ts'
import { type Bucket, type CompiledProduct, compile, type Window } from '../../../src/cost/compile/compile.ts'
import { createScale, type Scale, setBatch, setMesh, termValue } from '../../../src/cost/compile/term.ts'
import { arithmeticTime, computeRates, computeTime, productTime } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import { resourceCount } from '../../../src/hardware/network/collective.ts'
import type { Precision } from '../../../src/problem.ts'
import { type ArrayKind, shardedArray } from '../../../src/sharding/array.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import type { Component, EinsumKind } from '../../../src/sharding/component.ts'
import { derive } from '../../../src/sharding/derive.ts'
import type { Extents } from '../../../src/sharding/monomial.ts'
import type { Bytes, Flops, Seconds } from '../../../src/units.ts'
import { freely } from '../../rounding.ts'
import type { Arrangement } from '../hardware/networks.ts'
import { precisionOf } from '../precision.ts'

export interface Operand {
  readonly kind: ArrayKind
  readonly notation: string
}

export const activation = (notation: string): Operand => ({ kind: 'activation', notation })
export const weight = (notation: string): Operand => ({ kind: 'weight', notation })

export function einsum(out: Operand, left: Operand, right: Operand, kind: EinsumKind = 'matmul'): Component {
  const array = (name: string, { kind: whose, notation }: Operand) => ({
    ...shardedArray(name, whose, notation),
    ...(notation === '' ? { dimensions: [] } : {}),
  })
  return {
    name: 'einsum',
    arrays: { Out: array('Out', out), Left: array('Left', left), Right: array('Right', right) },
    einsums: [{ out: 'Out', left: 'Left', right: 'Right', kind }],
  }
}

export interface Shape {
  readonly component: Component
  /** Sizes of the dimensions; that of B as well. */
  readonly extents: Extents
  readonly precision?: Precision
  readonly mesh?: Mesh
}

export interface Scaled {
  readonly window: Window
  readonly scale: Scale
}

/** The forward pass with numbers in. The mesh-dependent dimension is B; it may be any real number. */
export function forwardWindow({ component, extents, precision, mesh }: Shape): Scaled {
  const { B: batch = 1, ...rest } = extents
  const sizes = { ...rest, B: 1 }
  const derivation = derive(component, { zeroStage: 0, regatherActivations: false })
  const assumptions: Assumptions = { ...book, attentionFlops: 'full' }
  const { forward } = compile(derivation, sizes, precision ?? precisionOf(), assumptions)
  const scale = createScale()
  setMesh(scale, mesh ?? unitMesh, sizes, freely)
  setBatch(scale, batch)
  return { window: forward, scale }
}

export function flopsOf({ window, scale }: Scaled): Flops {
  return window.products.reduce((sum, { flops }) => sum + termValue(flops, scale), 0)
}

/** Read and written once each. */
export function bytesOf({ window, scale }: Scaled): Bytes {
  const bytes = ({ bytes: terms }: CompiledProduct) =>
    terms.reduce((sum, term) => sum + termValue(term, scale), 0)
  return window.products.reduce((sum, product) => sum + bytes(product), 0)
}

export function movedBytes({ window, scale }: Scaled): readonly Bytes[] {
  return window.buckets.map((bucket: Bucket) => bucketBytes(bucket, scale))
}

export function intensity(shape: Shape): number {
  const scaled = forwardWindow(shape)
  return flopsOf(scaled) / bytesOf(scaled)
}

/** At the roofline of its own shape. */
export function timeOn(chip: Chip, shape: Shape): Seconds {
  const { window, scale } = forwardWindow(shape)
  return computeTime(window.products, scale, ratesOf(chip, shape))
}

/** FLOPs over the chip's peak, HBM apart. */
export function mathTimeOn(chip: Chip, shape: Shape): Seconds {
  const { window, scale } = forwardWindow(shape)
  const rates = ratesOf(chip, shape)
  return window.products.reduce((sum, product) => sum + arithmeticTime(product, scale, rates), 0)
}

/** How much longer than its arithmetic the products take: 0 where they are compute-bound. */
export function waitingOn(chip: Chip, shape: Shape): Seconds {
  const { window, scale } = forwardWindow(shape)
  const rates = ratesOf(chip, shape)
  return window.products.reduce(
    (sum, product) => sum + productTime(product, scale, rates) - arithmeticTime(product, scale, rates),
    0,
  )
}

/** All communication of the forward pass, with what overlaps on the network side by side. */
export function commTime({ network, mesh, placement }: Arrangement, shape: Shape, terms = book): Seconds {
  const { window, scale } = forwardWindow({ ...shape, mesh })
  const sets = window.buckets.map(({ over }) => over)
  const costs = networkPrices(network, sets, terms).placed(placement, mesh)
  const traffic = createTraffic(resourceCount(network))
  addBuckets(traffic, window.buckets, scale, costs, { assumptions: terms, experts: null })
  return windowTime(0, traffic, 'lower')
}

function ratesOf(chip: Chip, { precision }: Shape) {
  return computeRates(chip, (precision ?? precisionOf()).compute, book)
}
