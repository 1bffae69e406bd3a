/** Writes tables and remarks as a self-contained HTML page, which loads nothing: to be kept with a run, or sent. */

export interface Part {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Sentences below the table. */
  readonly remarks?: readonly string[]
}

const style =
  'body{font:14px/1.5 system-ui,sans-serif;margin:2rem;max-width:80rem}table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.25rem .6rem;text-align:left;vertical-align:top}th{background:#f4f4f4}'

export function page(title: string, parts: readonly Part[]): string {
  const head = `<meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style>`
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body>\n<h1>${escaped(title)}</h1>\n${parts.map(partOf).join('\n')}\n</body></html>\n`
}

function partOf({ heads, rows, remarks = [] }: Part): string {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')}</tr>`
  const head = heads.some(Boolean) ? `<thead>${cells('th', heads)}</thead>` : ''
  const body = rows.map((row) => cells('td', row)).join('\n')
  const table = rows.length > 0 ? `<table>${head}<tbody>\n${body}\n</tbody></table>` : ''
  return [table, ...remarks.map((remark) => `<p>${escaped(remark)}</p>`)].join('\n')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
