/**
 * Names that a mistyped one may have meant: those within a third of its length in edits (insert, delete, replace, swap
 * neighbours: optimal string alignment), and those that begin with it or that it begins with, ignoring all but letters
 * and digits, and those that have all of its words, where a size or version is one word (`405b` is not `5b`). Those with all of
 * its words come first; then fewest edits, then those that begin with it, then those that share more words with it.
 */
const longest = 64

export function nearest(name: string, candidates: Iterable<string>, most = 3): string[] {
  const typed = name.toLowerCase()
  if (typed.length > longest) return []
  const words = wordsOf(typed)
  const allowed = Math.max(2, Math.ceil(typed.length / 3))
  return [...candidates]
    .map((candidate) => {
      const own = candidate.toLowerCase()
      return {
        candidate,
        whole:
          typed.length >= leastBegun &&
          words.length > 0 &&
          words.every((word) => wordsOf(own).includes(word)),
        near: continues(typed, own),
        edits: editDistance(typed, own),
        begun: own.startsWith(typed),
        shared: sharedWords(typed, own),
      }
    })
    .filter(({ whole, near, edits }) => whole || near || edits <= allowed)
    .sort(
      (a, b) =>
        Number(b.whole) - Number(a.whole) ||
        a.edits - b.edits ||
        Number(b.begun) - Number(a.begun) ||
        b.shared - a.shared ||
        (a.candidate < b.candidate ? -1 : 1),
    )
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

const leastBegun = 4

function continues(typed: string, candidate: string): boolean {
  const [one, other] = [typed, candidate].map((name) => name.replace(/[^a-z0-9]/g, ''))
  if (!one || !other || Math.min(one.length, other.length) < leastBegun) return false
  return one.startsWith(other) || other.startsWith(one)
}

/** Whether two names have the same digits: of those that do not, one is another size or version and no slip of the other. */
export function sameDigits(one: string, other: string): boolean {
  return one.replaceAll(/\D/g, '') === other.replaceAll(/\D/g, '')
}

function sharedWords(typed: string, candidate: string): number {
  const words = candidate.split(/[^a-z0-9]+/)
  return typed.split(/[^a-z0-9]+/).filter((word) => words.includes(word)).length
}

/** `qwen3-1.7b` is qwen, 3 and 1.7b. */
function wordsOf(name: string): readonly string[] {
  return name.match(/\d+(?:\.\d+)*[a-z]*|[a-z]+/g) ?? []
}

const mostSlips = 2

/** The name that differs in up to two letters, the nearest of such; null where none does. */
export function slipOf(name: string, candidates: readonly string[]): string | null {
  const [closest] = candidates
    .map((meant) => ({ meant, edits: editDistance(name, meant) }))
    .filter(({ edits }) => edits <= mostSlips)
    .sort((a, b) => a.edits - b.edits)
  return closest?.meant ?? null
}

export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        cell(last, column) + 1,
        cell(current, column - 1) + 1,
        cell(last, column - 1) + (same ? 0 : 1),
        swapped ? cell(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return cell(last, to.length)
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
