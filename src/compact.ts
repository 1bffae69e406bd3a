/**
 * A list of what is there. An item may stand behind the condition for it (`isLong && 'a note'`), and is left out where
 * that does not hold, as an empty text is; lists among the items are taken apart.
 */
export function compact<Item extends string | number | object>(
  ...items: readonly (Item | readonly Item[] | false | null | undefined)[]
): readonly Item[] {
  return items.flatMap((item) => (item === false || item == null || item === '' ? [] : item))
}
