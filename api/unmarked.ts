/** A text without the byte order mark that some editors begin it with. */
export function unmarked(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}
