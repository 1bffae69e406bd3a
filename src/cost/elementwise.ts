/**
 * What a layer streams through HBM between its matmuls, in elements per token and layer, forward pass:
 *
 *   norms and residual sums   4 · streams of width D: each norm reads and writes one, each sum reads two and writes one,
 *                             the second read of a stream being in cache: 2 norms x 2 + 2 sums x 2 = 8 D
 *   activation function       gated 3 F (two read, one written), plain 2 F
 *   rotary embedding          queries and keys read and written: 2 (N + K) H
 *   experts                   a token's copies sorted by expert and back, read and written: 4 k D
 *
 * The backward pass streams twice as much. The FLOPs do not count. Where kernels fuse further than this it is an upper
 * estimate; frameworks without fusion stream more. Residual streams are sharded as they rest, inner arrays as they are.
 */
import type { Transformer } from '../model/transformer.ts'
import type { Precision } from '../problem.ts'
import { elementsOf } from '../sharding/elements.ts'
import type { Extents } from '../sharding/monomial.ts'
import type { LayerPart } from '../sharding/training-layout.ts'
import { activationType, type CompiledProduct } from './compile.ts'
import { elementBytes } from './element.ts'
import { type Term, termOf } from './term.ts'

const perStream = 8
const perCopy = 4

export function elementwiseProduct(
  parts: readonly LayerPart[],
  model: Transformer,
  extents: Extents,
  precision: Precision,
  passes: 1 | 2,
): CompiledProduct {
  const size = elementBytes[activationType(precision)] * passes
  const streamed = (name: string, times: number): readonly Term[] =>
    parts.flatMap(({ component, times: share }) => {
      const array = component.arrays[name]
      return array ? [termOf(elementsOf(array), extents, share * times * size)] : []
    })
  const [first] = parts
  const stream = first?.component.arrays.In
  const inner = model.gatedMlp ? 3 : 2
  return {
    flops: { base: 0, selector: 0, mask: 0 },
    bytes: [
      ...(stream ? [termOf(elementsOf(stream), extents, perStream * size)] : []),
      ...streamed('Tmp', inner),
      ...streamed('SharedTmp', inner),
      ...streamed('Q', 2),
      ...streamed('K', 2),
      ...streamed('Dispatched', perCopy),
    ],
    attention: false,
    recomputed: false,
    weightGradient: false,
    times: 1,
  }
}
