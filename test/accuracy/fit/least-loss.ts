/** Finds the constants of least loss: one after another in steps of its range, which get smaller until none gains. */
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { StackConstants } from '../../../src/assumptions/stack.ts'

/** Tried values, from the least to the most; constants without are held. */
export type Ranges = Readonly<Partial<Record<keyof Assumptions, readonly number[]>>>

export function steps(from: number, to: number, by: number): readonly number[] {
  const count = Math.round((to - from) / by)
  return Array.from({ length: count + 1 }, (_, at) => Number((from + at * by).toPrecision(6)))
}

export function leastLoss(
  start: StackConstants,
  ranges: Ranges,
  lossOf: (constants: Partial<Assumptions>) => number,
  settled: readonly string[] = [],
): StackConstants {
  const names = Object.keys(start).filter((name) => name in ranges && !settled.includes(name))
  if (names.length === 0) return start
  let best: Readonly<Record<string, unknown>> = start
  let least = lossOf(start)
  const gains = (name: string, value: number): boolean => {
    const tried = { ...best, [name]: value }
    const own = lossOf(tried)
    if (own >= least - 1e-4) return false
    best = tried
    least = own
    return true
  }
  for (const stride of [8, 4, 2, 1]) {
    for (let gained = true; gained; ) {
      gained = false
      for (const name of names) {
        const tried = ranges[name as keyof Assumptions] ?? []
        const at = nearest(tried, Number(best[name] ?? 0))
        for (const next of [tried[at - stride], tried[at + stride]]) {
          if (next !== undefined && gains(name, next)) gained = true
        }
      }
    }
  }
  return best as StackConstants
}

function nearest(values: readonly number[], wanted: number): number {
  return values.reduce(
    (best, value, at) => (Math.abs(value - wanted) < Math.abs((values[best] ?? 0) - wanted) ? at : best),
    0,
  )
}
