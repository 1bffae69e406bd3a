/** A word as a shell reads it back. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
