/** Keeps what was made for the `most` keys that were asked for last. A value that is kept here may depend on nothing but its key. */
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

/**
 * The same for what is asked for so often that putting keys in order would cost more than it saves: it keeps those that were asked for last, at least
 * half as many as `most`. What is not asked for while half as many others are is forgotten.
 */
export function recentHalves<Value>(most: number): Recent<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  const set = (key: string, value: Value) => {
    if (young.size >= most / 2) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    get: (key) => {
      const value = young.get(key)
      if (value !== undefined) return value
      const before = old.get(key)
      if (before !== undefined) set(key, before)
      return before
    },
    set,
  }
}

/** Each begins anew, and returns what takes up again what was there before. */
const begunAnew: (() => () => void)[] = []

/** What a module keeps for as long as a thread lives, unless the thread is told to forget it, or to put it aside. */
export function lastingFrom<Kept>(made: () => Kept): () => Kept {
  let kept = made()
  begunAnew.push(() => {
    const before = kept
    kept = made()
    return () => {
      kept = before
    }
  })
  return () => kept
}

/** The same of what was asked for last. */
export function lasting<Value>(most: number): Recent<Value> {
  const kept = lastingFrom(() => recent<Value>(most))
  return { get: (key) => kept().get(key), set: (key, value) => kept().set(key, value) }
}

/** A thread that has warmed up needs nothing of what it was asked for that. */
export function forgetAll(): void {
  for (const beginAnew of begunAnew) beginAnew()
}

/** What this runs finds nothing that was kept before, and leaves nothing. */
export function aside(run: () => void): void {
  const takenUp = begunAnew.map((beginAnew) => beginAnew())
  try {
    run()
  } finally {
    for (const takeUp of takenUp) takeUp()
  }
}

/** A key that is the same for equal plain data; infinities are spelled out, since JSON would turn them into null. */
export function valueKey(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' && !Number.isFinite(each) ? `${each}` : each,
  )
}
