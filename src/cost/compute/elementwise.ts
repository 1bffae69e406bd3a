/**
 * What a layer streams through HBM between its matmuls, in elements per token and layer, forward pass:
 *
 *   norms and residual sums   4 · streams of width D: each norm reads and writes one, each sum reads two and writes one,
 *                             the second read of a stream being in cache: 2 norms x 2 + 2 sums x 2 = 8 D
 *                             half of it where a layer has a mixer or an MLP alone: 4 D
 *                             and 4 n + 1 of a block in place of its sum's 2, where n streams are beside each other (model/residual-streams.ts)
 *   activation function       gated 3 F (two read, one written), plain 2 F
 *   rotary embedding          queries and keys read and written: 2 (N + K) H
 *   recurrence                what its chain of kernels reads and writes (model/recurrent-mixers.ts)
 *   experts                   a token's copies sorted by expert and back, read and written: 4 k D
 *
 * The backward pass streams twice as much (a recurrence's chain what its kernels do), and once more whatever a policy did not keep but needs: where only a layer's input is kept,
 * all of it, or all but the last sum and the way back of the copies (`assumptions.recomputation`). The loss streams its logits in fp32:
 *
 *   forward    2 + 4 bytes a logit to widen them, 4 to read them for their maximum and sum
 *   backward   4 + 2 to read them and write their gradient
 *
 * The FLOPs do not count. Where kernels fuse further than this it is an upper estimate; frameworks without fusion stream
 * more. Residual streams are sharded as they rest, inner arrays as they are.
 */
import { compact } from '../../compact.ts'
import { shareOfWhole } from '../../model/layer-pattern.ts'
import { streamsRead } from '../../model/residual-streams.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Precision } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import { everyBlock, keptByBlock, normsAgain, runsWhole } from '../../recipe/policy.ts'
import type { PolicyRow } from '../../recipe/policy-row.ts'
import type { ShardedArray } from '../../sharding/array.ts'
import { arrayOfRole, arraysOf, type Component } from '../../sharding/component.ts'
import { elementsOf } from '../../sharding/elements.ts'
import type { Extents } from '../../sharding/monomial.ts'
import type { ArrayRole } from '../../sharding/roles.ts'
import { type LayerPart, layersOfParts } from '../../sharding/tables/training-layout.ts'
import { activationType } from '../compile/array-type.ts'
import { type CompiledProduct, streaming } from '../compile/compile.ts'
import { type Term, termOf } from '../compile/term.ts'

/** How often arrays are read or written: a stream of width D, and each array inside a component. */
interface Passes {
  readonly stream: number
  readonly inside: (array: Pick<ShardedArray, 'name' | 'role'>) => number
}

const perNormOrSum = 2
const perRotation = 2
const perCopy = 4

const perActivation = ({ gatedMlp }: Transformer): number => (gatedMlp ? 3 : 2)

/** What a layer streams, with that of recurrences and of experts apart. */
export interface Streamed {
  readonly plain: CompiledProduct
  /** Null for layers without one. */
  readonly recurrence: CompiledProduct | null
  /** Null for layers without experts. */
  readonly experts: CompiledProduct | null
}

export function elementwiseForward(
  parts: readonly LayerPart[],
  model: Transformer,
  extents: Extents,
  precision: Precision,
): Streamed {
  const passes = forwardPasses(model, extents)
  return streamedArrays(parts, model, passes, extents, elementBytes[activationType(precision)])
}

/** With a policy, includes what it did not keep; without one, everything was kept. */
export function elementwiseBackward(
  parts: readonly LayerPart[],
  model: Transformer,
  extents: Extents,
  precision: Precision,
  policy?: PolicyRow,
): Streamed {
  const forward = forwardPasses(model, extents)
  const again = policy ? passesAgain(forward, policy, model) : none
  const { Rs = 1, Rb = 2 * Rs } = extents
  const passes: Passes = {
    stream: 2 * forward.stream + again.stream,
    inside: (array) => (array.role === 'scanned' ? Rb / Rs : 2) * forward.inside(array) + again.inside(array),
  }
  return streamedArrays(parts, model, passes, extents, elementBytes[activationType(precision)])
}

/** What the loss streams, over the logits of the head. */
export function lossProduct(
  head: Component,
  pass: 'forward' | 'backward',
  extents: Extents,
  precision: Precision,
): CompiledProduct {
  const narrow = elementBytes[activationType(precision)]
  const wide = elementBytes.fp32
  const perLogit = pass === 'forward' ? narrow + 2 * wide : wide + narrow
  return streaming([termOf(elementsOf(arrayOfRole(head, 'logits')), extents, perLogit)])
}

const none: Passes = { stream: 0, inside: () => 0 }

function forwardPasses(model: Transformer, { Rs = 0, Rv = 1 }: Extents): Passes {
  const inner = perActivation(model)
  const times: Readonly<Partial<Record<ArrayRole, number>>> = {
    ...{ inner, sharedInner: inner, copies: perCopy },
    ...{ queries: perRotation, keys: perRotation, scanned: Rs / Rv },
  }
  return { stream: shareOfWhole(model) * 2 * perBlock(model), inside: ({ role }) => times[role] ?? 0 }
}

/** The norm before a block and the sum after it, and what several streams add to both. */
function perBlock(model: Transformer): number {
  const { before, after } = streamsRead(model)
  return perNormOrSum + before + after
}

function passesAgain(forward: Passes, policy: PolicyRow, model: Transformer): Passes {
  if (runsWhole(policy, everyBlock)) return forward
  const kept = Object.values(keptByBlock(policy)).flat()
  const { before, after } = streamsRead(model)
  const sums = policy.stream < 2 && model.layerPattern === undefined ? 1 : 0
  return {
    stream: shareOfWhole(model) * normsAgain(policy) * (perNormOrSum + before) + sums * after,
    inside: (array) => {
      if (kept.includes(array.name)) return 0
      return array.role === 'copies' ? perCopy / 2 : forward.inside(array)
    },
  }
}

function streamedArrays(
  parts: readonly LayerPart[],
  model: Transformer,
  passes: Passes,
  extents: Extents,
  size: number,
): Streamed {
  const streamed = (of: readonly LayerPart[], role: ArrayRole): readonly Term[] =>
    of.flatMap(({ component, times: share }) =>
      arraysOf(component, role).map((array) =>
        termOf(elementsOf(array), extents, share * passes.inside(array) * size),
      ),
    )
  const [first] = parts
  const [stream] = first ? arraysOf(first.component, 'input') : []
  const isRouted = ({ component }: LayerPart) => arraysOf(component, 'copies').length > 0
  const routed = parts.filter(isRouted)
  const others = parts.filter((part) => !isRouted(part))
  const scanned = streamed(parts, 'scanned')
  return {
    plain: streaming(
      compact(
        first &&
          stream &&
          termOf(elementsOf(stream), extents, layersOfParts(parts, model) * passes.stream * size),
        streamed(others, 'inner'),
        streamed(parts, 'sharedInner'),
        streamed(parts, 'queries'),
        streamed(parts, 'keys'),
      ),
    ),
    recurrence: scanned.length === 0 ? null : streaming(scanned),
    experts:
      routed.length === 0 ? null : streaming([...streamed(routed, 'inner'), ...streamed(routed, 'copies')]),
  }
}
