/** The options of a command line, taken one by one; what nobody took is what was not understood. */

export interface Options {
  /** The values of an option under any of its names, the last time that it stands; null where it does not. */
  readonly values: (...names: readonly string[]) => readonly string[] | null
  readonly has: (...names: readonly string[]) => boolean
  /** Of one value; a fault, and null, where it is none. */
  readonly number: (...names: readonly string[]) => number | null
  /** From 1 to a thousand million. */
  readonly whole: (...names: readonly string[]) => number | null
  readonly text: (...names: readonly string[]) => string | null
  readonly faults: readonly string[]
  /** With their values, as they stand. */
  readonly left: () => readonly string[]
  /** Names that were asked for, whether they stand there or not. */
  readonly known: () => readonly string[]
}

export function optionsOf(words: readonly string[]): Options {
  const found = new Map<string, readonly string[]>()
  const taken = new Set<string>()
  const faults: string[] = []
  const stray: string[] = []
  let name: string | null = null
  for (const word of words.flatMap(separated)) {
    if (/^--[A-Za-z]/.test(word)) {
      const [own = word, ...rest] = word.split('=')
      name = own
      found.set(name, rest.length > 0 ? [rest.join('=')] : [])
    } else if (name === null) stray.push(word)
    else found.set(name, [...(found.get(name) ?? []), word])
  }

  const values = (...names: readonly string[]): readonly string[] | null => {
    for (const one of names) taken.add(one)
    const own = names.findLast((one) => found.has(one))
    return own === undefined ? null : (found.get(own) ?? [])
  }
  const text = (...names: readonly string[]): string | null => values(...names)?.[0] ?? null
  const number = (...names: readonly string[]): number | null => {
    const value = text(...names)
    if (value === null) return null
    if (/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value)
    const why = value.includes('$') ? 'which the text does not set' : 'which is no number'
    faults.push(`${names[0]} is ${value}, ${why}`)
    return null
  }
  return {
    values,
    has: (...names) => values(...names) !== null,
    text,
    number,
    whole: (...names) => {
      const value = number(...names)
      if (value === null || (Number.isInteger(value) && value >= 1 && value <= 1e9)) return value
      faults.push(`${names[0]} is ${value}, which is no count`)
      return null
    },
    faults,
    left: () => [
      ...[...found].filter(([own]) => !taken.has(own)).map(([own, given]) => [own, ...given].join(' ')),
      ...stray,
    ],
    known: () => [...taken],
  }
}

/** Options that were quoted together with their values: "--fp8-format hybrid". */
function separated(word: string): readonly string[] {
  return /^--[A-Za-z][\w-]*\s/.test(word) ? word.split(/\s+/).filter(Boolean) : [word]
}
