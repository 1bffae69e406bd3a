/** The windows and terms that a cost model is put together from. */
import type { Problem } from '../../problem.ts'
import { axisBit } from '../../sharding/axis.ts'
import type { Component } from '../../sharding/component.ts'
import type { Extents } from '../../sharding/monomial.ts'
import type { LayerPart } from '../../sharding/tables/training-layout.ts'
import { activationTerms } from '../memory/memory.ts'
import { type CompiledComponent, type CompiledProduct, type Window, weighted } from './compile.ts'
import type { Term } from './term.ts'

/** Bytes of the residual stream as it rests between blocks. */
export function streamTerm(
  [first]: readonly LayerPart[],
  extents: Extents,
  { model, precision }: Problem,
): Term {
  const [term] = activationTerms(
    first ? [once(first.component)] : [],
    { name: '', attention: [], mlp: [], stream: 1 },
    extents,
    { model, precision, assumptions: { activations: 'counted', narrowOperands: false } },
  )
  if (!term) throw new RangeError('A layer has no components')
  return term
}

/**
 * What a stage sends to the next. Where the stream is whole on every tensor rank, each rank still sends only a part, which the ranks
 * of the next stage gather: Megatron's scatter and gather (Narayanan et al. 2021, arXiv 2104.04473, section 4.1), DeepSpeed's
 * PartitionedTensor. The gathers inside a node are left out.
 */
export function boundaryTerm(stream: Term): Term {
  return { ...stream, mask: stream.mask | axisBit.tensor }
}

/** The head runs once for every token that is predicted ahead, always with the same weights. */
export function repeated(head: CompiledComponent, times: number): CompiledComponent {
  return { ...head, forward: weighted(head.forward, times), backward: weighted(head.backward, times) }
}

/** Kernels that take `factor` times as long as streaming their bytes. */
export function slowed(product: CompiledProduct, factor: number): CompiledProduct {
  return { ...product, times: factor * product.times }
}

export const once = (component: Component): LayerPart => ({ component, times: 1 })

export function joined(windows: readonly Window[]): Window {
  return {
    products: windows.flatMap(({ products }) => products),
    buckets: windows.flatMap(({ buckets }) => buckets),
  }
}
