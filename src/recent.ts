/**
 * What was made of equal values before: the most recently asked for, and so many of them. Nothing that is kept so may hang on
 * anything but its key.
 */
export interface Recent<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
}

export function recent<Value>(most: number): Recent<Value> {
  // Keys stand in the order in which they were last asked for.
  const known = new Map<string, Value>()
  const set = (key: string, value: Value) => {
    known.delete(key)
    known.set(key, value)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
  }
  return {
    get: (key) => {
      const value = known.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
  }
}

/** One text for equal plain data: an infinity is not a null. */
export function valueKey(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' && !Number.isFinite(each) ? `${each}` : each,
  )
}
