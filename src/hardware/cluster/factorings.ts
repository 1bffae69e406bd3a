import { divisorsOf } from './divisors.ts'

/** Every list of factors whose product is `total`, each dividing its limit. */
export function factorings(total: number, limits: readonly number[]): readonly (readonly number[])[] {
  const result: (readonly number[])[] = []
  const factors = new Array<number>(limits.length).fill(1)
  const productFrom = productsFrom(limits)
  const extend = (at: number, left: number) => {
    const limit = limits[at]
    if (limit === undefined) {
      if (left === 1) result.push([...factors])
      return
    }
    const others = productFrom[at + 1] ?? 1
    for (const factor of divisorsOf(left)) {
      // What is left over has to divide what the others may take together.
      if (limit % factor !== 0 || others % (left / factor) !== 0) continue
      factors[at] = factor
      extend(at + 1, left / factor)
    }
  }
  extend(0, total)
  return result
}

/** Of the limits from each one on. */
function productsFrom(limits: readonly number[]): readonly number[] {
  const products = new Array<number>(limits.length + 1).fill(1)
  for (let at = limits.length - 1; at >= 0; at--) products[at] = (products[at + 1] ?? 1) * (limits[at] ?? 1)
  return products
}
