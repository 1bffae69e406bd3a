/**
 * The branches of a script's `if`s and `case`s, and the commands of its lists (`[[ … ]] && A || B`): which may run, as far as tests of known
 * words decide it, and which assignments are certain. A variable that only a branch, a loop or a function sets is not certain, and decides
 * no test.
 */
import { matches } from './pattern.ts'
import { denied, joined, type Says, type Sign } from './says.ts'

/** A construct that is open: the word that opened it, and what its tests so far say. */
interface Open {
  readonly by: string
  /** What is open around it: whether that may run, whether only by a test that was not decided, and whether otherwise than once. */
  readonly around: Around
  /** Whether the branch that is read may run. */
  runs: boolean
  /** A branch that runs was read: later ones do not. */
  closed: boolean
  /** Whether some test so far could not be decided. */
  undecided: boolean
  /** What a `case` compares; null where that is not known. */
  subject: string | null
  /** Whether its patterns come next, and those so far. */
  awaits: boolean
  readonly patterns: string[]
  /** What the commands of a list have come to so far, and the sign behind them; null in front of the first. */
  says: Says
  sign: Sign | null
}

interface Around {
  readonly runs: boolean
  readonly inDoubt: boolean
  readonly isLoose: boolean
}

export interface Branches {
  /** Takes a word at the start of a command, of whatever kind it is. */
  readonly meet: (word: string) => void
  /** Whether a condition comes next that decides something. */
  readonly awaitsTest: () => boolean
  /** Takes what the condition says, null where that is not known. */
  readonly test: (says: Says) => void
  /** Whether patterns of a `case` come next. */
  readonly awaitsPattern: () => boolean
  /** Takes the words of `case WORD in`, and patterns up to the bracket that closes them; `known` if what is compared has that value alone. */
  readonly choose: (words: readonly string[], closes: boolean, known: boolean) => void
  /** Ends a branch of a `case`. */
  readonly end: () => void
  /** Whether a test at the position may begin a list, or go on with one that is known: it is not in the middle of another. */
  readonly mayHang: () => boolean
  /** Takes what such a test says, and the sign behind it. */
  readonly hang: (sign: Sign, says: Says) => void
  /** Takes the end of a command; with a sign the list that it is part of goes on. */
  readonly past: (sign: Sign | null, says: Says) => void
  /** Whether what is read may run. */
  readonly runs: () => boolean
  /** Whether what is read runs only by a test that could not be decided. */
  readonly inDoubt: () => boolean
  /** Whether what is read may run otherwise than once. */
  readonly isLoose: () => boolean
  /** Whether the last test could not be decided. */
  readonly isOpen: () => boolean
  /** Says what the text does not end, with the word that would; null if it ends all that it opens. */
  readonly unended: () => string | null
}

/** Stands for the word that opens a list, which has none. */
const list = '&&'

/** Words that open a construct, with the word that ends it. */
const endings: Readonly<Record<string, string>> = {
  ...{ if: 'fi', case: 'esac', '{': '}' },
  ...{ while: 'done', until: 'done', for: 'done', select: 'done' },
}
const opening = new Set(Object.keys(endings))
const closingWords = new Set(Object.values(endings))
/** Of loops over a list the first round is read, as it is. */
const once = new Set(['if', 'for', 'case', list])
const unopened = {
  ...{ runs: true, closed: false, undecided: false },
  ...{ subject: null, awaits: false, says: null, sign: null },
}
const nothingOpen: Around = { runs: true, inDoubt: false, isLoose: false }

/** What a construct says together with all around it, which does not change before it is closed: as many as a text opens are asked at once. */
function within(last: Open | undefined): Around {
  if (!last) return nothingOpen
  const { by, around, runs, undecided } = last
  return {
    runs: around.runs && runs,
    inDoubt: around.inDoubt || undecided,
    isLoose: around.isLoose || undecided || !once.has(by),
  }
}

export function branchesOf(): Branches {
  const open: Open[] = []
  /** Whether the last command goes on with a list that is not open, as those of conditions are not. */
  let isWithin = false
  const decide = (last: Open, says: Says) => {
    last.runs = says !== false
    last.closed = says === true
    last.undecided ||= says === null
  }
  const openedBy = (by: string) => open.push({ by, around: within(open.at(-1)), ...unopened, patterns: [] })
  /** A list goes on: its next command runs by what those before it came to. */
  const goOn = (last: Open, sign: Sign, says: Says) => {
    last.says = last.sign === null ? says : joined(last.sign, last.says, says)
    last.sign = sign
    const wanted = sign === '&&' ? last.says : denied(last.says)
    last.runs = wanted !== false
    last.undecided = wanted === null
  }
  const ofList = () => (open.at(-1)?.by === list ? open.at(-1) : undefined)
  const ofCase = () => (open.at(-1)?.by === 'case' ? open.at(-1) : undefined)
  return {
    meet: (word) => {
      if (opening.has(word)) openedBy(word)
      if (closingWords.has(word)) open.pop()
      const last = open.at(-1)
      if (last?.by === 'if' && (word === 'elif' || word === 'else')) last.runs = !last.closed
    },
    awaitsTest: () => open.at(-1)?.by === 'if' && open.at(-1)?.closed === false,
    test: (says) => {
      const last = open.at(-1)
      if (last) decide(last, says)
    },
    awaitsPattern: () => ofCase()?.awaits ?? false,
    choose: (words, closes, known) => {
      const last = ofCase()
      if (!last) return
      const [, subject = ''] = words
      const own = last.awaits ? words : words.slice(words.indexOf('in', 2) + 1)
      if (!last.awaits) last.subject = known && !/[$`]/.test(subject) ? subject : null
      for (const pattern of own) last.patterns.push(pattern)
      last.awaits = true
      if (!closes) return
      last.awaits = false
      if (last.closed) last.runs = false
      else decide(last, last.subject === null ? null : matches(last.subject, last.patterns))
      last.patterns.length = 0
    },
    end: () => {
      const last = ofCase()
      if (last) last.awaits = true
    },
    mayHang: () => ofList() !== undefined || !isWithin,
    hang: (sign, says) => {
      if (!ofList()) openedBy(list)
      const last = ofList()
      if (last) goOn(last, sign, says)
    },
    past: (sign, says) => {
      const last = ofList()
      isWithin = sign !== null && !last
      if (last && sign !== null) goOn(last, sign, says)
      else if (last) open.pop()
    },
    runs: () => within(open.at(-1)).runs,
    inDoubt: () => within(open.at(-1)).inDoubt,
    isLoose: () => within(open.at(-1)).isLoose,
    isOpen: () => open.at(-1)?.undecided ?? false,
    unended: () => {
      const last = open.findLast(({ by }) => by !== list)
      return last ? `${last.by} is not ended (${endings[last.by]})` : null
    },
  }
}
