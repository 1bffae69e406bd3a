/**
 * What `read -r A B <<< "1,2"` sets: the parts of a line, the last name getting all that is left, or with -a an array of all parts; with -d '' those
 * of a whole text; and what `mapfile -t LINES` sets. Source: bash(1), "SHELL BUILTIN COMMANDS".
 */

export type Assigned = readonly [name: string, values: readonly string[]]

/** `separators` is IFS. Nothing where an option takes a word of its own, such as -n. */
export function takenApart(
  [builtin = '', ...words]: readonly string[],
  text: string,
  separators: string,
): readonly Assigned[] {
  if (listing.has(builtin)) return listed(words, text)
  const whole = words.findIndex((word, at) => /^-[ra]*d$/.test(word) && words[at + 1] === '')
  const own = words.filter((_, at) => whole < 0 || (at !== whole && at !== whole + 1))
  const options = own.filter((word) => word.startsWith('-'))
  if (builtin !== 'read' || !options.every((option) => /^-[ra]+$/.test(option))) return []
  const names = own.filter((word) => /^[A-Za-z_]\w*$/.test(word))
  const [first] = names
  const line = (whole < 0 ? (text.split('\n')[0] ?? '') : text).trim()
  // A saved IFS that is put back (IFS=$OLD) is blanks again.
  const blank = separators.trim() === '' || separators.startsWith('$')
  const parts = blank ? line.split(/\s+/) : line.split(separators[0] ?? ',')
  if ([...options, words[whole] ?? ''].join('').includes('a'))
    return first === undefined ? [] : [[first, parts]]
  if (first !== undefined && names.length === 1) return [[first, [line]]]
  const rest = parts.slice(names.length - 1).join(blank ? ' ' : separators[0])
  return names.map((name, at) => [name, [at === names.length - 1 ? rest : (parts[at] ?? '')]])
}

const listing = new Set(['mapfile', 'readarray'])

/** What sets variables from its input. */
export const readsInto: ReadonlySet<string> = new Set(['read', ...listing])

/** The lines of a text, as one array. */
function listed(words: readonly string[], text: string): readonly Assigned[] {
  const [option, name = 'MAPFILE', ...more] = words
  if (option !== '-t' || more.length > 0 || !/^[A-Za-z_]\w*$/.test(name)) return []
  return [[name, text.replace(/\n$/, '').split('\n')]]
}
