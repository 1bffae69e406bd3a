/** Numbers as Python's int() and float() take them: digits may have _ between them. Null for what they refuse. */

const digits = String.raw`\d+(_\d+)*`
const int = new RegExp(`^[+-]?${digits}$`)
const float = new RegExp(String.raw`^\+?(${digits}\.?(${digits})?|\.${digits})(e[+-]?${digits})?$`, 'i')

export function pythonInt(text: string): number | null {
  return int.test(text) ? numberOf(text) : null
}

/** Null for numbers below 0 as well, which no option that is read has. */
export function pythonFloat(text: string): number | null {
  return float.test(text) ? numberOf(text) : null
}

/** Whether float() takes it, negative or not finite as it may be. */
export function isPythonFloat(text: string): boolean {
  return float.test(text.replace(/^-/, '')) || /^[+-]?(inf(inity)?|nan)$/i.test(text)
}

function numberOf(text: string): number {
  return Number(text.replaceAll('_', ''))
}
