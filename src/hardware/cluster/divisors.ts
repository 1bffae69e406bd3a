/** The divisors of a number, ascending; they are computed once for each number. */
const known = new Map<number, readonly number[]>()
const mostKnown = 10_000

export function divisorsOf(n: number): readonly number[] {
  const cached = known.get(n)
  if (cached) return cached
  const low: number[] = []
  const high: number[] = []
  for (let divisor = 1; divisor * divisor <= n; divisor++) {
    if (n % divisor !== 0) continue
    low.push(divisor)
    if (divisor * divisor !== n) high.unshift(n / divisor)
  }
  const divisors = [...low, ...high]
  if (known.size < mostKnown) known.set(n, divisors)
  return divisors
}

export function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other)
}
