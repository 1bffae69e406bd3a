/** Whether one of a `case`'s patterns matches a text; null where that is not known: what a pattern holds is not here, or it has a list of characters. */
export function matches(subject: string, patterns: readonly string[]): boolean | null {
  const each = patterns.map((pattern) => (/[$`[\]\\]/.test(pattern) ? null : matchesOne(subject, pattern)))
  if (each.includes(true)) return true
  return each.includes(null) ? null : false
}

/** `*` is any text: the parts between are looked for from left to right. */
function matchesOne(subject: string, pattern: string): boolean | null {
  if (pattern.includes('?')) return null
  const [first = '', ...parts] = pattern.split('*')
  if (parts.length === 0) return subject === first
  const last = parts.pop() ?? ''
  if (!subject.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = subject.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return subject.length - last.length >= at && subject.endsWith(last)
}
