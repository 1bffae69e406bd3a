import { divisorsOf } from './divisors.ts'

/** Every list of factors whose product is `total`, each dividing its limit. */
export function factorings(total: number, limits: readonly number[]): readonly (readonly number[])[] {
  const result: (readonly number[])[] = []
  const factors = new Array<number>(limits.length).fill(1)
  const extend = (at: number, left: number) => {
    const limit = limits[at]
    if (limit === undefined) {
      if (left === 1) result.push([...factors])
      return
    }
    for (const factor of divisorsOf(left)) {
      if (limit % factor !== 0) continue
      factors[at] = factor
      extend(at + 1, left / factor)
    }
  }
  extend(0, total)
  return result
}
