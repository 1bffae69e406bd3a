/** Which of the words that may stand somewhere a name means. */

import { namesOf, plainName } from './name.ts'
import { nearest } from './nearest.ts'
import { words } from './words.ts'

const byName = namesOf(words)

/** Of the words that there are, the one that a name means; else the nearest. */
export function wordMeant(open: readonly string[], name: string): string | undefined {
  const plain = plainName(name)
  const same = open.find((word) => plainName(word) === plain)
  const other = (byName.get(plain) ?? []).find((word) => open.includes(word))
  return same ?? other ?? nearest(name, open, 1)[0]
}
