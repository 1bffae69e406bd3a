/** Finds which of the words that a request may have somewhere is meant by a name. */
import { namesOf, plainName } from './name.ts'
import { nearest } from './nearest.ts'
import { words } from './words.ts'

const byName = namesOf(words)

/** The word that the name is another name for; otherwise the most similar one. */
export function wordMeant(open: readonly string[], name: string): string | undefined {
  const plain = plainName(name)
  const same = open.find((word) => plainName(word) === plain)
  const other = (byName.get(plain) ?? []).find((word) => open.includes(word))
  return same ?? other ?? nearest(name, open, 1)[0]
}
