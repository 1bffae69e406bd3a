/**
 * Fills the request's numbers into one layout of one component.
 *
 * Fused weights (queries, keys and values; gate and up) give one product each in the table and one collective in
 * practice: neighbouring moves of one operation over the same axes are one call. Weights that are gathered are known
 * beforehand and may be prefetched; activations and caches are waited for. The products of attention are one kernel.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { callOf } from '../../cost/compile/call.ts'
import { arrayType } from '../../cost/compile/compile.ts'
import { castArrays } from '../../cost/compute/casts.ts'
import { cacheLayers } from '../../model/attention-layers.ts'
import { attendingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { WeightPart } from '../../model/weight-parts.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes, elementRow } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import {
  type ArrayKind,
  arrayNotation,
  isLasting,
  type ShardedArray,
  withDimensions,
} from '../../sharding/array.ts'
import { axisSet } from '../../sharding/axis.ts'
import { arraysOf, type Component, weightsOf } from '../../sharding/component.ts'
import { type Derivation, deriveForward, productsOf } from '../../sharding/derive.ts'
import type { Move } from '../../sharding/move.ts'
import type { Product } from '../../sharding/product.ts'
import { isOfCache } from '../../sharding/roles.ts'
import type { InferenceLayout } from '../../sharding/tables/inference-layout.ts'
import { axesOfSequences } from '../../sharding/tables/inference-layout-fields.ts'
import type { LayerPart } from '../time/turns.ts'
import { arrayBytes } from './array-bytes.ts'
import type { CompiledCollective, CompiledLayout, CompiledProduct } from './compiled-layout.ts'
import { elementwise } from './elementwise.ts'
import { liveSets } from './live-sets.ts'
import { type LocalTerm, localSum, localTerm } from './local-term.ts'

export function compiledCall(moves: readonly [Move, ...Move[]], bytes: BytesOf): CompiledCollective {
  const call = callOf(moves, ({ volume }) => bytes(volume))
  return { ...call, moved: localSum(call.bytes) }
}

export function compileLayout(
  { component, name, projection, cache, form, places }: InferenceLayout,
  precision: Precision,
  assumptions: Assumptions,
  model: Transformer,
): CompiledLayout {
  const cacheShare = cacheLayers(model) / attendingLayers(model)
  const derivation = deriveForward(component)
  const bytes = (array: ShardedArray, times = 1): LocalTerm =>
    localTerm(times * arrayBytes(precision, array), array.dimensions)
  const unpacked = unpackedFactor(precision, assumptions)
  const streamed: BytesOf = (array, times = 1) =>
    bytes(array, times * (array.kind === 'weight' && array.part === 'experts' ? unpacked : 1))
  const arrays = Object.values(component.arrays)
  const share = (array: ShardedArray | undefined) => (array && isOfCache(array.role) ? cacheShare : 1)
  const products = productsOf(derivation)
  const kernel = products.findIndex(({ kind }) => kind === 'attention')
  return {
    ...{ name, projection, cache, form, places },
    component,
    into: streamNotation(component, 'input'),
    out: streamNotation(component, 'output'),
    products: [
      ...products.flatMap((product, at): readonly CompiledProduct[] =>
        product.kind === 'matmul'
          ? [
              {
                ...matmul(product, share(component.arrays[product.out]), streamed, unpacked),
                ...{ part: partOf(product, at < kernel), starts: isFirstOfInput(products, at) },
              },
            ]
          : [],
      ),
      ...attentionKernels(component, products, bytes),
      ...scans(products, bytes),
    ],
    collectives: collectives(derivation, bytes),
    stored: localSum(weightsOf(component).map((weight) => bytes(weight, share(weight)))),
    cached: localSum(ofKind(arrays, 'cache').map((array) => bytes(array))),
    live: assumptions.workspace
      ? liveSets(derivation).map((set) =>
          localSum(set.flatMap((array) => liveTerms(component, array, bytes))),
        )
      : [],
    elementwise: localSum(
      assumptions.elementwise
        ? [
            ...elementwise(
              component,
              bytes,
              assumptions.wholeStreams ? axesOfSequences({ projection, cache }) : null,
              model,
            ),
            ...routedCasts(derivation, precision),
          ]
        : [],
    ),
  }
}

/** How much longer grouped kernels take that unpack four-bit weights of experts to a wider type that they multiply in; else 1. */
function unpackedFactor({ weights, compute }: Precision, { unpackedExpertFactor }: Assumptions): number {
  const { plain } = elementRow(weights)
  const besides: readonly ElementType[] = elementRow(weights).besides
  const widened = elementBytes[plain] < 1 && elementBytes[compute] > elementBytes[weights]
  return widened && !besides.includes(compute) ? unpackedExpertFactor : 1
}

function streamNotation(component: Component, role: 'input' | 'output'): string {
  const [array] = arraysOf(component, role)
  return array ? arrayNotation(array).slice(array.name.length) : ''
}

/** For weights and caches, which are stored anyway, only what is gathered beyond that is live: nothing, where the axes have one chip. */
function liveTerms({ arrays }: Component, array: ShardedArray, bytes: BytesOf): readonly LocalTerm[] {
  const stored = arrays[array.name]
  return isLasting(array) && stored ? [bytes(array), bytes(stored, -1)] : [bytes(array)]
}

type BytesOf = (array: ShardedArray, times?: number) => LocalTerm

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
    weights: localSum(ofKind(operands, 'weight').map((array) => bytes(visitedAlone(array)))),
    caches: localSum(ofKind(operands, 'cache').map((array) => bytes(array, array.role === 'state' ? 2 : 1))),
    activations: localSum(ofKind(operands, 'activation', 'combine').map((array) => bytes(array))),
  }
}

/** Only those of a chip's experts that a token visits are read. */
function visitedAlone(weight: ShardedArray): ShardedArray {
  return withDimensions(weight, (dimension) =>
    dimension.extent === 'E' ? { ...dimension, extent: 'Ev' } : dimension,
  )
}

function ofKind(arrays: readonly ShardedArray[], ...kinds: readonly ArrayKind[]): readonly ShardedArray[] {
  return arrays.filter(({ kind }) => kinds.includes(kind))
}

/** Moves of one operation over the same axes are one call, where no move of another kind stands between them. */
function collectives({ lines }: Derivation, bytes: BytesOf): readonly CompiledCollective[] {
  const joined: [Move, ...Move[]][] = []
  for (const line of lines) {
    if (line.kind === 'product') continue
    const { move } = line
    const last = joined.at(-1)
    const joins =
      last?.[0].operation === move.operation &&
      last[0].kind === move.kind &&
      axisSet(last[0].over) === axisSet(move.over)
    if (joins) last.push(move)
    else joined.push([move])
  }
  return joined.map((moves) => compiledCall(moves, bytes))
}

/**
 * Casts of rows of experts, as in training. Frameworks that serve fuse all other casts into norms and activation functions: the
 * measured grouped kernels in fp8 and fp4 include these, and the fitted rows of dense models come out nearer without them (docs/decisions.md).
 */
function routedCasts(derivation: Derivation, precision: Precision): readonly LocalTerm[] {
  const [kept, computed] = [elementBytes[arrayType('activation', precision)], elementBytes[precision.compute]]
  if (computed >= kept) return []
  return castArrays(productsOf(derivation), 'forward')
    .filter(({ dimensions }) => dimensions.some(({ extent }) => extent === 'A'))
    .map((array) => localTerm(kept + computed, array.dimensions))
}
