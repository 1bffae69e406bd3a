/**
 * What an array of a component is to the cost model, one role for each thing that it asks for. Tables name arrays as the book does, and
 * nobody else looks arrays up by their names.
 */

/**
 * `input` and `output` are the residual stream as a component takes it in and gives it out. A `gate` is a factor of what an
 * activation function makes (`inner`); for experts that all tokens visit these are `sharedGate` and `sharedInner`. `copies` are tokens
 * sorted by their experts. `queries` and `keys` are rotated. Keys, `values` and their `entries` in a cache may be another layer's.
 * A recurrence makes what is `scanned`, reads and writes its `state`, and goes on from its convolution's `last` positions.
 * An `index` is what scores positions, of which attention then meets the best.
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
  | 'index'
  | 'scanned'
  | 'state'
  | 'last'
  | 'logits'
  | 'other'

/** A weight has the role of what is made with it. */
const roles: Readonly<Record<string, ArrayRole>> = {
  ...{ In: 'input', Out: 'output', Logits: 'logits' },
  ...{ Gate: 'gate', Up: 'gate', Tmp: 'inner' },
  ...{ SharedGate: 'sharedGate', SharedUp: 'sharedGate', SharedTmp: 'sharedInner' },
  ...{ Copies: 'copies', Dispatched: 'copies' },
  ...{ Q: 'queries', K: 'keys', V: 'values', W_K: 'keys', W_V: 'values' },
  ...{ NewKeys: 'entries', NewValues: 'entries' },
  ...{ Scanned: 'scanned', State: 'state', Last: 'last' },
  ...{ IndexQ: 'index', IndexK: 'index', Index: 'index' },
}

export function roleOf(name: string): ArrayRole {
  return roles[name] ?? 'other'
}

/** Whether it is the residual stream, which all layers have alike. */
export function isStream(role: ArrayRole): boolean {
  return role === 'input' || role === 'output'
}

/** Whether a layer that reads another layer's cache has no such array of its own. */
export function isOfCache(role: ArrayRole): boolean {
  return role === 'keys' || role === 'values' || role === 'entries'
}
