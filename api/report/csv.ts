/** Writes CSV (RFC 4180). */
export function csv(lines: readonly (readonly (string | number | null)[])[]): string {
  return lines.map((line) => `${line.map(quoted).join(',')}\r\n`).join('')
}

function quoted(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
