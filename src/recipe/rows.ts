/** Looks up the rows of a table by name; throws a RangeError when there is no such row. */
export function rowsByName<Row extends { readonly name: string }>(
  table: readonly Row[],
): (name: string) => Row {
  const rows = new Map(table.map((row) => [row.name, row]))
  return (name) => {
    const row = rows.get(name)
    if (!row) throw new RangeError(`${name} is none of ${[...rows.keys()].join(', ')}`)
    return row
  }
}
