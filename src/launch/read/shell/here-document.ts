/** A document that stands behind the line that it is named in. */
export interface Opened {
  readonly end: string
  /** Tabs before its lines are not of it. */
  readonly indented: boolean
  readonly expands: boolean
}

/** From the line at `at` to the one that ends it; of one without an end all that is left. `after` is where the script goes on. */
export function hereDocument(
  text: string,
  at: number,
  { end, indented }: Opened,
): { readonly whole: string; readonly after: number } {
  const lines: string[] = []
  let after = at
  while (after < text.length) {
    const stop = text.indexOf('\n', after)
    const line = text.slice(after, stop < 0 ? text.length : stop)
    after = stop < 0 ? text.length : stop + 1
    const own = indented ? line.replace(/^\t+/, '') : line
    if (own === end) break
    lines.push(own)
  }
  return { whole: lines.map((line) => `${line}\n`).join(''), after }
}
