/**
 * The branches of a script's `if`s: which may run, as far as tests of known words decide it, and which assignments are certain. A variable
 * that only a branch, a loop or a function sets is not certain, and decides no test.
 */
import { tested } from './tested.ts'

/** A construct that is open: the word that opened it, and of an `if` what its tests so far say. */
interface Open {
  readonly by: string
  /** Whether the branch that is read may run. */
  runs: boolean
  /** A branch that runs was read: later ones do not. */
  closed: boolean
  /** Whether some test so far could not be decided. */
  undecided: boolean
}

export interface Branches {
  /** Takes a word at the start of a command, of whatever kind it is. */
  readonly meet: (word: string) => void
  /** Takes the words of a test; `alone` if the command is not joined with another. */
  readonly test: (words: readonly string[], alone: boolean) => void
  /** Whether what is read may run. */
  readonly runs: () => boolean
  /** Whether what is read runs only by a test that could not be decided. */
  readonly inDoubt: () => boolean
  /** Whether what is read may run otherwise than once. */
  readonly isLoose: () => boolean
  /** Whether the last test could not be decided. */
  readonly isOpen: () => boolean
}

const opening = new Set(['if', 'while', 'until', 'for', 'select', 'case', '{'])
const closingWords = new Set(['fi', 'done', 'esac', '}'])
/** Of loops over a list the first round is read, as it is. */
const once = new Set(['if', 'for'])

export function branchesOf(): Branches {
  const open: Open[] = []
  return {
    meet: (word) => {
      if (opening.has(word)) open.push({ by: word, runs: true, closed: false, undecided: false })
      if (closingWords.has(word)) open.pop()
      const last = open.at(-1)
      if (last?.by === 'if' && (word === 'elif' || word === 'else')) last.runs = !last.closed
    },
    test: (words, alone) => {
      const last = open.at(-1)
      if (last?.by !== 'if' || last.closed) return
      const says = alone ? tested(words) : null
      last.runs = says !== false
      last.closed = says === true
      last.undecided ||= says === null
    },
    runs: () => open.every(({ runs }) => runs),
    inDoubt: () => open.some(({ undecided }) => undecided),
    isLoose: () => open.some(({ by, undecided }) => undecided || !once.has(by)),
    isOpen: () => open.at(-1)?.undecided ?? false,
  }
}
