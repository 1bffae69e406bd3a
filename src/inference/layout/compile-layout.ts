/**
 * Fills the request's numbers into one layout of one component.
 *
 * Fused weights (queries, keys and values; gate and up) give one product each in the table and one collective in
 * practice: neighbouring moves of one operation over the same axes are one call. Weights that are gathered are known
 * beforehand and may be prefetched; activations and caches are waited for. The products of attention are one kernel.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { arrayType } from '../../cost/compile/array-type.ts'
import { callOf } from '../../cost/compile/call.ts'
import { castArrays } from '../../cost/compute/casts.ts'
import { cacheLayers } from '../../model/attention-layers.ts'
import { attendingLayers } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import {
  arrayNotation,
  arraysOfKind,
  isLasting,
  type ShardedArray,
  shardedArray,
} from '../../sharding/array.ts'
import { axisSet } from '../../sharding/axis.ts'
import { arraysOf, type Component, weightsOf } from '../../sharding/component.ts'
import { componentRow } from '../../sharding/component-rows.ts'
import { type Derivation, deriveForward, productsOf } from '../../sharding/derive.ts'
import type { Move } from '../../sharding/move.ts'
import { isOfCache } from '../../sharding/roles.ts'
import type { InferenceLayout } from '../../sharding/tables/inference-layout.ts'
import { axesOfSequences } from '../../sharding/tables/inference-layout-fields.ts'
import { arrayBytes } from './array-bytes.ts'
import { type BytesOf, compileProducts, unpackedFactor } from './compile-products.ts'
import type { CompiledCollective, CompiledLayout } from './compiled-layout.ts'
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
    localTerm(times * arrayBytes(precision, model, array), array.dimensions)
  const arrays = Object.values(component.arrays)
  const share = (array: ShardedArray | undefined) => (array && isOfCache(array.role) ? cacheShare : 1)
  const unpacked = unpackedFactor(precision, assumptions)
  return {
    ...{ name, projection, cache, form, places },
    component,
    into: streamNotation(component, 'input'),
    out: streamNotation(component, 'output'),
    products: compileProducts(component, productsOf(derivation), { bytes, share, unpacked }),
    collectives: collectives(derivation, bytes),
    stored: localSum([
      ...weightsOf(component).map((weight) => bytes(weight, share(weight))),
      bytes(row, rowsBeside(component, model, assumptions)),
    ]),
    cached: localSum(arraysOfKind(arrays, 'cache').map((array) => bytes(array))),
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

/** One of width D that every chip has, in the type of activations, as quantisation leaves norms and routers in 16 bits or more. */
const row = shardedArray('Row', 'activation', 'D')

/**
 * The norm before a component, and the row of a router for each expert. Servers keep both whole on each chip (vLLM's ReplicatedLinear);
 * nothing waits for them, as they are some thousandths of what is streamed. A single expert, a dense MLP, has none. Where elementwise kernels are left out, as the book does, norms are too.
 */
function rowsBeside(
  component: Component,
  { experts }: Transformer,
  { elementwise: norms }: Assumptions,
): number {
  const { place, layers } = componentRow(component)
  const isNormed = norms && place !== 'entry'
  const rows = layers === 'sparse' ? (experts?.experts ?? 0) : 0
  return (isNormed ? 1 : 0) + (rows > 1 ? rows : 0)
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
