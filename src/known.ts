import type { Stop } from './patience.ts'

/** A Map, a WeakMap or the like. */
export interface Kept<Key, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => unknown
}

/** Returns what was made for a key before, or makes it now and keeps it. A value may not be undefined. */
export function known<Key, Value>(values: Kept<Key, Value>, key: Key, made: () => Value): Value {
  const found = values.get(key)
  if (found !== undefined) return found
  const value = made()
  values.set(key, value)
  return value
}

/** A function that keeps what was made for each key, and begins anew beyond `most` of them. A value may not be undefined. */
export function remembered<Key, Value>(
  make: (key: Key) => Value,
  most = Number.POSITIVE_INFINITY,
): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const found = values.get(key)
    if (found !== undefined) return found
    const made = make(key)
    if (values.size >= most) values.clear()
    values.set(key, made)
    return made
  }
}

/** The same for objects: what was made of one is kept as long as the object is in use. */
export function rememberedOf<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => known(values, key, () => make(key))
}

/** The same for what takes long: what was made when it was time to stop is not kept. */
export function rememberedWhole<Key, Value>(
  make: (key: Key, stop: Stop) => Value,
  values: Kept<Key, Value> = new Map(),
): (key: Key, stop: Stop) => Value {
  return (key, stop) => {
    const found = values.get(key)
    if (found !== undefined) return found
    const value = make(key, stop)
    if (!stop()) values.set(key, value)
    return value
  }
}

/** A map that begins anew beyond `most` keys. */
export function atMost<Key, Value>(most: number): Kept<Key, Value> {
  const values = new Map<Key, Value>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      if (values.size >= most) values.clear()
      values.set(key, value)
    },
  }
}

/** What is made when it is first asked for, and then kept. */
export function once<Value>(made: () => Value): () => Value {
  let kept: { readonly value: Value } | undefined
  return () => {
    kept ??= { value: made() }
    return kept.value
  }
}
