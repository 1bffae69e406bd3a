/** A table in lines of plain text: the last column takes the rest of the width, on as many lines as it needs. */

export function table(
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const lead = (rows[0]?.length ?? 1) - 1
  const widths = Array.from({ length: lead }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const indent = widths.reduce((sum, own) => sum + own + gap.length, 0)
  return rows.flatMap((row) => {
    const [first = '', ...rest] = wrapped(row[lead] ?? '', Math.max(narrowest, width - indent))
    const cells = widths.map((own, at) => (row[at] ?? '').padEnd(own))
    return [[...cells, first].join(gap).trimEnd(), ...rest.map((line) => `${' '.repeat(indent)}${line}`)]
  })
}

const gap = '  '

const narrowest = 24

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line]
}
