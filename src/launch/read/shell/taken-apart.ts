/** What `read -r A B <<< "1,2"` sets: the parts of a text, the last name getting all that is left, or with -a an array of all parts. */

export type Assigned = readonly [name: string, values: readonly string[]]

/** `separators` is IFS. Nothing where an option takes a word of its own, such as -d or -n. */
export function takenApart(
  [builtin, ...words]: readonly string[],
  text: string,
  separators: string,
): readonly Assigned[] {
  const options = words.filter((word) => word.startsWith('-'))
  if (builtin !== 'read' || !options.every((option) => /^-[ra]+$/.test(option))) return []
  const names = words.filter((word) => /^[A-Za-z_]\w*$/.test(word))
  // A saved IFS that is put back (IFS=$OLD) is blanks again.
  const blank = separators.trim() === '' || separators.startsWith('$')
  const parts = blank ? text.trim().split(/\s+/) : text.trim().split(separators[0] ?? ',')
  const [first] = names
  if (options.join('').includes('a')) return first === undefined ? [] : [[first, parts]]
  const rest = parts.slice(names.length - 1).join(blank ? ' ' : separators[0])
  return names.map((name, at) => [name, [at === names.length - 1 ? rest : (parts[at] ?? '')]])
}
