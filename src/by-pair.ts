/** What was made for two whole numbers. */
export interface ByPair<Value> {
  readonly find: (one: number, other: number) => Value | undefined
  /** Returns the value. */
  readonly keep: (one: number, other: number, value: Value) => Value
}

/**
 * It begins anew beyond `most` of them, since much of it lives as long as a worker, which is asked about ever other numbers. Two calls instead of one with
 * a function, `pairs.find(a, b) ?? pairs.keep(a, b, …)`: a search asks hundreds of thousands of times, and would make a function for each.
 */
export function byPair<Value>(most = 10_000): ByPair<Value> {
  const values = new Map<number, Map<number, Value>>()
  let count = 0
  return {
    find: (one, other) => values.get(one)?.get(other),
    keep: (one, other, value) => {
      if (count++ >= most) {
        values.clear()
        count = 1
      }
      const own = values.get(one)
      if (own) own.set(other, value)
      else values.set(one, new Map([[other, value]]))
      return value
    },
  }
}
