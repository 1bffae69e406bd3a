/**
 * What an array of a component is to the cost, a row for each that it asks for: tables name arrays as the book does, and nobody
 * else asks for them by their names.
 */

/**
 * `input` and `output` are the residual stream as a component takes it in and gives it out. A `gate` is a factor of what an
 * activation function makes (`inner`), of experts that all tokens visit `sharedGate` and `sharedInner`. `copies` are tokens sorted by
 * their experts. `queries` and `keys` are rotated; keys, `values` and their `entries` in a cache are what layers may have of another.
 */
export type ArrayRole =
  | 'input'
  | 'output'
  | 'gate'
  | 'inner'
  | 'sharedGate'
  | 'sharedInner'
  | 'copies'
  | 'queries'
  | 'keys'
  | 'values'
  | 'entries'
  | 'logits'
  | 'other'

/** A weight is what is made with it. */
const roles: Readonly<Record<string, ArrayRole>> = {
  ...{ In: 'input', Out: 'output', Logits: 'logits' },
  ...{ Gate: 'gate', Up: 'gate', Tmp: 'inner' },
  ...{ SharedGate: 'sharedGate', SharedUp: 'sharedGate', SharedTmp: 'sharedInner' },
  ...{ Copies: 'copies', Dispatched: 'copies' },
  ...{ Q: 'queries', K: 'keys', V: 'values', W_K: 'keys', W_V: 'values' },
  ...{ NewKeys: 'entries', NewValues: 'entries' },
}

export function roleOf(name: string): ArrayRole {
  return roles[name] ?? 'other'
}

/** What a layer that reads another's cache has no own of. */
export function isOfCache(role: ArrayRole): boolean {
  return role === 'keys' || role === 'values' || role === 'entries'
}
