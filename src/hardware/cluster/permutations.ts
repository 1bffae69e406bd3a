/** All orders of a few items. */
export function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item, at) =>
    permutations(items.filter((_, index) => index !== at)).map((rest) => [item, ...rest]),
  )
}
