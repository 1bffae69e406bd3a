/** Items of arrays. Those that are written with keys, `([h100]=8 [gb200]=4)`, are kept as they are written, each with its own. */

const form = /^\[([^\]]+)\]=([\s\S]*)$/

export function keyedItem(key: string, value: string): string {
  return `[${unquoted(key)}]=${value}`
}

/** Values by their keys; null where some item has none. */
export function keyed(items: readonly string[]): ReadonlyMap<string, string> | null {
  if (!items[0]?.startsWith('[')) return null
  const pairs = items.map((item) => form.exec(item))
  if (pairs.includes(null)) return null
  return new Map(pairs.map((pair) => [unquoted(pair?.[1] ?? ''), pair?.[2] ?? '']))
}

/** The values of all items. */
export function valuesOf(items: readonly string[]): readonly string[] {
  const own = keyed(items)
  return own ? [...own.values()] : items
}

/** The keys of all items, or their places. */
export function keysOf(items: readonly string[]): readonly string[] {
  return [...(keyed(items)?.keys() ?? items.map((_, at) => `${at}`))]
}

const most = 1000

/** An array with one more item, or another in its place; `adds` to what is there. */
export function withItem(items: readonly string[], item: string, adds: boolean): readonly string[] {
  // Of long ones a later item stands beside the one whose place it takes, as that of a key which is written last counts.
  if (items.length > most && !adds && items[0]?.startsWith('[')) return [...items, item]
  const own = keyed(items) ?? new Map(items.map((value, at) => [`${at}`, value]))
  const [, key = '', value = ''] = form.exec(item) ?? []
  const all = new Map(own).set(key, (adds ? (own.get(key) ?? '') : '') + value)
  return [...all].map(([name, one]) => `[${name}]=${one}`)
}

export function unquoted(text: string): string {
  return text.replaceAll(/["']/g, '')
}
