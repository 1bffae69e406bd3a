/** A table as text: the first column to the left, numbers to the right. */
export type Row = Readonly<Record<string, string | number>>

export function printTable(title: string, rows: readonly Row[]): void {
  if (rows.length === 0) return
  const [first = {}] = rows
  const columns = Object.keys(first)
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column] ?? '')))]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const padded = lines.map((line) =>
    line.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  '),
  )
  process.stdout.write(`\n${title}\n\n${padded.join('\n')}\n`)
}

/** Three significant figures, whole numbers in full. */
function cellText(cell: string | number): string {
  if (typeof cell === 'string') return cell
  return Math.abs(cell) >= 100 || Number.isInteger(cell)
    ? Math.round(cell).toLocaleString('en')
    : cell.toPrecision(3)
}
