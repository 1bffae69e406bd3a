/**
 * Activations that enter matmuls in a narrower type than they are kept in are cast first, by kernels of their own: each is read once,
 * and written once as rows and once as columns, for the product of the backward pass that contracts the other dimension.
 *
 *   bytes of an element = kept + 2 · computed      with fp8: 2 + 2
 *   without a backward pass  kept + computed
 *
 * Activations are cast in the pass that makes them, gradients where they arrive; inputs of what is recomputed are cast again.
 * Weights are cast once a step, which is left out. Frameworks fuse casts into norms, and lately into activation functions:
 * this is an upper estimate there. Source: NVIDIA/TransformerEngine, transformer_engine/pytorch/module/grouped_linear.py, which asks
 * its quantizers for rows and columns.
 */
import { isGatheredOfCopies, type ShardedArray } from '../../sharding/array.ts'
import { elementsOf } from '../../sharding/elements.ts'
import type { Extents } from '../../sharding/monomial.ts'
import type { Pass } from '../../sharding/move.ts'
import type { Product } from '../../sharding/product.ts'
import type { Bytes } from '../../units.ts'
import { spreadTerm, type Term, termOf } from '../compile/term.ts'

/** Bytes that the casts of one pass read and write; `kept` and `computed` are bytes of an element. */
export function castBytes(
  products: readonly Product[],
  pass: Pass,
  extents: Extents,
  kept: Bytes,
  computed: Bytes,
): readonly Term[] {
  if (computed >= kept) return []
  return castArrays(products, pass).map((array) => {
    const bytes = termOf(elementsOf(array), extents, kept + 2 * computed)
    return isGatheredOfCopies(array) ? spreadTerm(bytes) : bytes
  })
}

/** The arrays that a pass casts: inputs of its matmuls that no pass before has cast. */
export function castArrays(products: readonly Product[], pass: Pass): readonly ShardedArray[] {
  const matmuls = products.filter(({ kind }) => kind === 'matmul')
  const forward = matmuls.filter((product) => product.pass === 'forward')
  const known = new Set(forward.flatMap(inputs).map(({ name }) => name))
  const cast = new Map<string, ShardedArray>()
  for (const product of pass === 'forward' ? forward : matmuls.filter((own) => own.pass === pass)) {
    for (const array of inputs(product)) {
      if (pass === 'forward' || product.recomputed || !known.has(array.name)) cast.set(array.name, array)
    }
  }
  return [...cast.values()]
}

function inputs({ operands, out }: Product): readonly ShardedArray[] {
  return operands.map(({ array }) => array).filter(({ kind, name }) => name !== out && kind !== 'weight')
}
