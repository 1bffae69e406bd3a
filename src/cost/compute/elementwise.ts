/**
 * What a layer streams through HBM between its matmuls, in elements per token and layer, forward pass:
 *
 *   norms and residual sums   4 · streams of width D: each norm reads and writes one, each sum reads two and writes one,
 *                             the second read of a stream being in cache: 2 norms x 2 + 2 sums x 2 = 8 D
 *   activation function       gated 3 F (two read, one written), plain 2 F
 *   rotary embedding          queries and keys read and written: 2 (N + K) H
 *   experts                   a token's copies sorted by expert and back, read and written: 4 k D
 *
 * The backward pass streams twice as much, and once more what a policy did not keep and leads to what it needs: all but the
 * last sum and the way back of the copies where only a layer's input is kept. The loss streams its logits in fp32:
 *
 *   forward    2 + 4 bytes a logit to widen them, 4 to read them for their maximum and sum
 *   backward   4 + 2 to read them and write their gradient
 *
 * The FLOPs do not count. Where kernels fuse further than this it is an upper estimate; frameworks without fusion stream
 * more. Residual streams are sharded as they rest, inner arrays as they are.
 */

import type { Transformer } from '../../model/transformer.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { PolicyRow } from '../../recipe/policy-row.ts'
import { arrayOf, type Component } from '../../sharding/component.ts'
import { elementsOf } from '../../sharding/elements.ts'
import type { Extents } from '../../sharding/monomial.ts'
import type { LayerPart } from '../../sharding/tables/training-layout.ts'
import { activationType, type CompiledProduct, streaming } from '../compile/compile.ts'

import { type Term, termOf } from '../compile/term.ts'

/** How often each kind of array is read or written. */
interface Passes {
  readonly stream: number
  readonly activation: (array: string) => number
  readonly heads: number
  readonly copies: number
}

const perNormOrSum = 2
const perRotation = 2
const perCopy = 4

const perActivation = ({ gatedMlp }: Transformer): number => (gatedMlp ? 3 : 2)

/** What a layer streams, of experts apart. */
export interface Streamed {
  readonly plain: CompiledProduct
  /** Null where there are none. */
  readonly experts: CompiledProduct | null
}

export function elementwiseForward(
  parts: readonly LayerPart[],
  model: Transformer,
  extents: Extents,
  precision: Precision,
): Streamed {
  const passes = forwardPasses(model)
  return streamedArrays(parts, passes, extents, elementBytes[activationType(precision)])
}

/** Under a policy, what it did not keep included; without one, everything was kept. */
export function elementwiseBackward(
  parts: readonly LayerPart[],
  model: Transformer,
  extents: Extents,
  precision: Precision,
  policy?: PolicyRow,
): Streamed {
  const forward = forwardPasses(model)
  const again = policy ? passesAgain(model, policy) : none
  const passes: Passes = {
    stream: 2 * forward.stream + again.stream,
    activation: (array) => 2 * forward.activation(array) + again.activation(array),
    heads: 2 * forward.heads + again.heads,
    copies: 2 * forward.copies + again.copies,
  }
  return streamedArrays(parts, passes, extents, elementBytes[activationType(precision)])
}

/** Of the loss, over the logits of the head. */
export function lossProduct(
  head: Component,
  pass: 'forward' | 'backward',
  extents: Extents,
  precision: Precision,
): CompiledProduct {
  const narrow = elementBytes[activationType(precision)]
  const wide = elementBytes.fp32
  const perLogit = pass === 'forward' ? narrow + 2 * wide : wide + narrow
  return streaming([termOf(elementsOf(arrayOf(head, 'Logits')), extents, perLogit)])
}

const none: Passes = { stream: 0, activation: () => 0, heads: 0, copies: 0 }

function forwardPasses(model: Transformer): Passes {
  return {
    stream: 4 * perNormOrSum,
    activation: () => perActivation(model),
    heads: perRotation,
    copies: perCopy,
  }
}

function passesAgain(model: Transformer, { attention, mlp, stream }: PolicyRow): Passes {
  const norms = [attention, mlp].filter((kept) => !kept.includes('In')).length
  const sums = stream < 2 ? 1 : 0
  return {
    stream: (norms + sums) * perNormOrSum,
    activation: (array) => (mlp.includes(array) ? 0 : perActivation(model)),
    heads: attention.includes('Q') ? 0 : perRotation,
    copies: mlp.includes('Dispatched') ? 0 : perCopy / 2,
  }
}

function streamedArrays(
  parts: readonly LayerPart[],
  passes: Passes,
  extents: Extents,
  size: number,
): Streamed {
  const streamed = (of: readonly LayerPart[], name: string, times: number): readonly Term[] =>
    of.flatMap(({ component, times: share }) => {
      const array = component.arrays[name]
      return array ? [termOf(elementsOf(array), extents, share * times * size)] : []
    })
  const [first] = parts
  const stream = first?.component.arrays.In
  const routed = parts.filter(({ component }) => component.arrays.Dispatched)
  const others = parts.filter(({ component }) => !component.arrays.Dispatched)
  return {
    plain: streaming([
      ...(stream ? [termOf(elementsOf(stream), extents, first.times * passes.stream * size)] : []),
      ...streamed(others, 'Tmp', passes.activation('Tmp')),
      ...streamed(parts, 'SharedTmp', passes.activation('SharedTmp')),
      ...streamed(parts, 'Q', passes.heads),
      ...streamed(parts, 'K', passes.heads),
    ]),
    experts:
      routed.length === 0
        ? null
        : streaming([
            ...streamed(routed, 'Tmp', passes.activation('Tmp')),
            ...streamed(routed, 'Dispatched', passes.copies),
          ]),
  }
}
