import type { ShellVariables } from './variables.ts'

/** `for NAME in …` sets the name to the first item, unless that is not known; what is told of it where there are more rounds. */
export function firstRound(words: readonly string[], variables: ShellVariables): string | null {
  const [first, name, preposition, ...items] = words
  const [item] = items
  if (first !== 'for' || name === undefined || preposition !== 'in') return null
  if (item === undefined || /[$`*]/.test(item)) return null
  variables.set(name, [item])
  const read = `of the ${items.length} rounds for ${name} the first is read: ${item.slice(0, 100)}`
  return items.length > 1 ? read : null
}
