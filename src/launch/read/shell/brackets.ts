/** Where what is opened in a text is closed; of what is not closed, its end. */

/** Of a mark that closes what it opens, as quotes do. */
export function closing(text: string, at: number, mark: string): number {
  const end = text.indexOf(mark, at + 1)
  return end < 0 ? text.length : end
}

/** Of the bracket that stands at `open`, past those within it. */
export function matching(text: string, open: number): number {
  const opening = text[open] ?? '('
  const end = opening === '{' ? '}' : ')'
  let depth = 0
  for (let here = open; here < text.length; here++) {
    if (text[here] === opening) depth++
    if (text[here] === end && --depth === 0) return here
  }
  return text.length - 1
}
