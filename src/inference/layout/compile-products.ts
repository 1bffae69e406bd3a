/**
 * The products of a layout with the request's numbers: matmuls one by one, with where they stand in a layer, and the products of
 * attention, and of scans, as one kernel each.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { WeightPart } from '../../model/weight-parts.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes, elementRow } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import { arraysOfKind, type ShardedArray, withDimensions } from '../../sharding/array.ts'
import type { Component } from '../../sharding/component.ts'
import type { Product } from '../../sharding/product.ts'
import type { LayerPart } from '../time/turns.ts'
import type { CompiledProduct } from './compiled-layout.ts'
import { type LocalTerm, localSum, localTerm } from './local-term.ts'

/** Bytes of an array, so many times. */
export type BytesOf = (array: ShardedArray, times?: number) => LocalTerm

interface Filled {
  readonly bytes: BytesOf
  /** Share of the layers that have an array. */
  readonly share: (array: ShardedArray | undefined) => number
  /** From `unpackedFactor`. */
  readonly unpacked: number
}

export function compileProducts(
  component: Component,
  products: readonly Product[],
  { bytes, share, unpacked }: Filled,
): readonly CompiledProduct[] {
  const streamed: BytesOf = (array, times = 1) =>
    bytes(array, times * (array.kind === 'weight' && array.part === 'experts' ? unpacked : 1))
  const kernel = products.findIndex(({ kind }) => kind === 'attention')
  const matmuls = products.flatMap((product, at): readonly CompiledProduct[] => {
    if (product.kind !== 'matmul') return []
    const own = matmul(product, share(component.arrays[product.out]), streamed, unpacked)
    return [{ ...own, part: partOf(product, at < kernel), starts: isFirstOfInput(products, at) }]
  })
  return [...matmuls, ...attentionKernels(component, products, bytes), ...scans(products, bytes)]
}

/** How much longer grouped kernels take that unpack four-bit weights of experts to a wider type that they multiply in; else 1. */
export function unpackedFactor(
  { weights, compute }: Precision,
  { unpackedExpertFactor }: Assumptions,
): number {
  const { plain } = elementRow(weights)
  const besides: readonly ElementType[] = elementRow(weights).besides
  const widened = elementBytes[plain] < 1 && elementBytes[compute] > elementBytes[weights]
  return widened && !besides.includes(compute) ? unpackedExpertFactor : 1
}

function matmul(
  product: Product,
  share: number,
  bytes: BytesOf,
  unpacked: number,
): Omit<CompiledProduct, 'part' | 'starts'> {
  const slowed = isGrouped(product) ? unpacked : 1
  return { kind: 'matmul', ...compiled([product], bytes, slowed), share, chosen: false, at: -1 }
}

function isFirstOfInput(products: readonly Product[], at: number): boolean {
  const inputOf = (product: Product | undefined) =>
    product?.operands.find(({ array }) => array.kind !== 'weight' && array.name !== product.out)?.array.name
  const own = products[at]
  if (!own || isGrouped(own)) return false
  return products.findIndex((one) => one.kind === 'matmul' && inputOf(one) === inputOf(own)) === at
}

/** Weights whose matmuls stand elsewhere in a layer than those of attention; matmuls of routed experts are grouped. */
const standing: Readonly<
  Partial<Record<WeightPart, { readonly part: LayerPart; readonly grouped: boolean }>>
> = {
  experts: { part: 'experts', grouped: true },
  sharedExperts: { part: 'shared', grouped: false },
}

function ofWeight({ operands }: Product) {
  const weight = operands.find(({ array }) => array.kind === 'weight')?.array.part
  return weight && standing[weight]
}

function isGrouped(product: Product): boolean {
  return ofWeight(product)?.grouped ?? false
}

function partOf(product: Product, beforeKernel: boolean): LayerPart {
  return ofWeight(product)?.part ?? (beforeKernel ? 'projections' : 'attention')
}

/**
 * Scores and the sum that they weigh are one kernel: all that it reads streams beside all its arithmetic. Where an index scores positions,
 * it is a kernel before that meets all of them, and the other meets those that it chooses.
 */
function attentionKernels(
  component: Component,
  products: readonly Product[],
  bytes: BytesOf,
): readonly CompiledProduct[] {
  const own = products.filter(({ kind }) => kind === 'attention')
  const ofIndex = ({ operands }: Product) =>
    operands.some(({ array }) => component.arrays[array.name]?.role === 'index')
  const scoring = own.filter(ofIndex)
  const attending = own.filter((product) => !ofIndex(product))
  const kernel = (run: readonly Product[], chosen: boolean): CompiledProduct => ({
    kind: 'attention',
    ...compiled(run, bytes),
    ...{ share: 1, chosen, part: 'attention', starts: false, at: -1 },
  })
  return [
    ...(scoring.length > 0 ? [kernel(scoring, false)] : []),
    ...(attending.length > 0 ? [kernel(attending, scoring.length > 0)] : []),
  ]
}

/** Scans of a recurrence: what they stream from chunk to chunk counts as work between products. */
function scans(products: readonly Product[], bytes: BytesOf): readonly CompiledProduct[] {
  const own = products.filter(({ kind }) => kind === 'scan')
  if (own.length === 0) return []
  const kernel = { ...compiled(own, bytes), ...{ share: 1, chosen: false } }
  return [{ kind: 'scan', ...kernel, part: 'attention', starts: false, at: -1 }]
}

function compiled(
  products: readonly Product[],
  bytes: BytesOf,
  slowed = 1,
): Pick<CompiledProduct, 'flops' | 'weights' | 'caches' | 'activations'> {
  const operands = products.flatMap((product) => product.operands.map(({ array }) => array))
  return {
    flops: localSum(products.map(({ work }) => localTerm(2 * slowed, work))),
    weights: localSum(arraysOfKind(operands, 'weight').map((array) => bytes(visitedAlone(array)))),
    caches: localSum(
      arraysOfKind(operands, 'cache').map((array) => bytes(array, array.role === 'state' ? 2 : 1)),
    ),
    activations: localSum(arraysOfKind(operands, 'activation', 'combine').map((array) => bytes(array))),
  }
}

/** Only those of a chip's experts that a token visits are read. */
function visitedAlone(weight: ShardedArray): ShardedArray {
  return withDimensions(weight, (dimension) =>
    dimension.extent === 'E' ? { ...dimension, extent: 'Ev' } : dimension,
  )
}
