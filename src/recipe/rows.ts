/** The row of a name, in a table of them; RangeError where there is none. */
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
