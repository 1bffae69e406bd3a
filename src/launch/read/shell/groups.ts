/**
 * Where the groups of a line, `{ …; }`, end. Brackets are words of their own, and one closes a group only where a command may begin: within
 * quotes, `${…}` and other words, or as an argument, it is a character as others are. Source: bash(1), "RESERVED WORDS".
 */
import { dropped, testing } from './reserved.ts'

/** A comment, a word with its quotes and expansions, or a sign between commands. What the line does not close lasts to its end. */
const piece =
  /(?<![^\s;&|<>()])#.*|(?:\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|\$\{[^}]*(?:\}|$)|[^\s;&|<>()])+|[;&|()<>]/g

/** For each position behind an opening bracket the position of the one that closes it. */
export function groupsIn(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const open: number[] = []
  let begins = true
  for (const { 0: word, index } of line.matchAll(piece)) {
    const last = begins && word === '}' ? open.pop() : undefined
    if (last !== undefined) ends.set(last, index)
    if (word === '{') open.push(index + 1)
    begins = /^[;&|()]$/.test(word) || (begins && (dropped.has(word) || testing.has(word)))
  }
  return ends
}
