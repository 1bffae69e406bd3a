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

function numberOf(text: string): number {
  return Number(text.replaceAll('_', ''))
}
