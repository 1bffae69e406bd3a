/** Finds where a quote or a bracket is closed; the end of the text if it is not. */

/** Position of the next `mark`, for marks that close themselves, such as quotes. */
export function closing(text: string, at: number, mark: string): number {
  const end = text.indexOf(mark, at + 1)
  return end < 0 ? text.length : end
}

/** Position of the bracket that closes the one at `open`, past nested ones. */
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
