/** Equal parts of a model's layouts are one object, and equal sums have one number, so that a search computes each only once. */
import { known } from '../../known.ts'
import type { CompiledCollective, CompiledLayout, CompiledProduct } from './compiled-layout.ts'
import { type LocalSum, localSum } from './local-term.ts'

/** The sums that have numbers, by what they add up. */
export type Sums = Map<string, LocalSum>

function summed({ terms }: LocalSum, sums: Sums): LocalSum {
  return known(sums, JSON.stringify(terms), () => localSum(terms, sums.size))
}

export function withNumber(call: CompiledCollective, sums: Sums): CompiledCollective {
  return { ...call, moved: summed(call.moved, sums) }
}

export function numbered(layout: CompiledLayout, sums: Sums): CompiledLayout {
  const { products, collectives, stored, cached, live, elementwise } = layout
  return {
    ...layout,
    products: products.map((product) => ({
      ...product,
      flops: summed(product.flops, sums),
      weights: summed(product.weights, sums),
      caches: summed(product.caches, sums),
      activations: summed(product.activations, sums),
    })),
    collectives: collectives.map((call) => withNumber(call, sums)),
    stored: summed(stored, sums),
    cached: summed(cached, sums),
    live: live.map((set) => summed(set, sums)),
    elementwise: summed(elementwise, sums),
  }
}

/** Makes equal products, collectives and sums one object, so that a pass computes each only once. */
export function shared(layouts: readonly CompiledLayout[], sums: Sums): readonly CompiledLayout[] {
  const products = new Map<string, CompiledProduct>()
  const calls = new Map<string, CompiledCollective>()
  return layouts.map((layout) => {
    const own = numbered(layout, sums)
    return {
      ...own,
      products: own.products.map((product) =>
        known(products, JSON.stringify(product), () => ({ ...product, at: products.size })),
      ),
      collectives: own.collectives.map((call) => {
        const { operation, over, bytes, critical, routed } = call
        return known(calls, JSON.stringify([operation, over, bytes, critical, routed]), () => call)
      }),
    }
  })
}
