/** What was made for a key before, else what is made for it now, which is kept. Nothing that is made may be undefined. */
export function known<Key, Value>(values: Map<Key, Value>, key: Key, made: () => Value): Value {
  const found = values.get(key)
  if (found !== undefined) return found
  const value = made()
  values.set(key, value)
  return value
}
