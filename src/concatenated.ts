/**
 * Lists one after another. It says no more than `flat`, which asks V8's runtime for each item in Node 20: for lists of which every answer has
 * thousands of items.
 */
export function concatenated<Item>(lists: Iterable<readonly Item[]>): Item[] {
  const all: Item[] = []
  for (const list of lists) for (const item of list) all.push(item)
  return all
}
