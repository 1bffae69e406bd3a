/**
 * Lines of options that no command goes on to: a comment, blanks behind a backslash or none of it ended the command before them, so that a
 * shell looks for a program of the option's name, or sets a variable where the line was a setting. A text of options alone, which is no script, has no command in front of them.
 */
import { isOption, isOtherwiseDashed, likeDashes } from '../dashes.ts'
import { skipped } from './reserved.ts'

export interface CutOff {
  readonly option: string
  /** Its line, and the one before, as they are written. */
  readonly line: string
  readonly before: string
}

export interface CutOffLines {
  readonly all: readonly CutOff[]
  /** Takes each command that runs, in their order: its words, where it begins and the character that ends it. */
  readonly take: (words: readonly string[], from: number, ended: string) => void
  /** Takes assignments that no command follows, by the name of the first. */
  readonly assign: (name: string, from: number, ended: string) => void
  readonly add: (found: readonly CutOff[]) => void
}

/** A script without any backslashes tells of the first. */
const most = 10
/** Of an option that is told. */
const longest = 100

export function cutOffLines(text: string): CutOffLines {
  const all: CutOff[] = []
  /** Whether an option that begins the next line was meant for the command before it. */
  let open = false
  /** Where the command begins whose settings (`key=value`) one that begins the next line was meant to be among; null where there is none. */
  let settings: number | null = null
  return {
    all,
    take: (words, from, ended) => {
      const [first = ''] = words
      if (isSetting(first)) return cutSetting(first, from, ended)
      const has = ended === '\n' && !skipped.has(first) && words.slice(1).some(isSetting)
      settings = has ? from : null
      const begins = isOption(first) || isOtherwiseDashed(first)
      const line = begins && open ? text.lastIndexOf('\n', from - 1) + 1 : null
      const isCut = line !== null && isLines(text, line, from)
      open = ended === '\n' && (isCut || !(begins || skipped.has(first)))
      const option = (first.split('=')[0] ?? first).slice(0, longest)
      if (isCut) add([{ option, ...linesAt(text, line) }])
    },
    assign: cutSetting,
    add,
  }

  /** To a shell such a line is an assignment, as many are: one was meant for the command if its line is further in, goes on or was to be gone on to. */
  function cutSetting(name: string, from: number, ended: string): void {
    const line = text.lastIndexOf('\n', from - 1) + 1
    if (settings === null || text.slice(line, from).trim() !== '') return
    const own = linesAt(text, line)
    const further = from - line > settings - (text.lastIndexOf('\n', settings - 1) + 1)
    if (further || own.line.endsWith('\\') || /\\\s+$/.test(own.before))
      add([{ option: (name.split('=')[0] ?? name).slice(0, longest), ...own }])
    else settings = null
    if (ended !== '\n') settings = null
  }

  /** A function that is called twice has the same lines. */
  function add(found: readonly CutOff[]): void {
    for (const one of found) {
      const isThere = all.some(({ line, before }) => line === one.line && before === one.before)
      if (all.length < most && !isThere) all.push(one)
    }
  }
}

/** Whether a word is a setting as MaxText and Hydra take them. */
function isSetting(word: string): boolean {
  return /^[a-z]\w*(\.\w+)*=/.test(word)
}

/** Whether it is the first of its line, as it is written or of a variable: other quoted words that begin lines are items of another language's lists. */
function isLines(text: string, line: number, from: number): boolean {
  return text.slice(line, from).trim() === '' && begun.test(text.slice(from, from + 2))
}

const begun = new RegExp(`^([${likeDashes}]|["']?\\$)`)

function linesAt(text: string, at: number): Pick<CutOff, 'line' | 'before'> {
  const end = text.indexOf('\n', at)
  const before = text.lastIndexOf('\n', at - 2) + 1
  return { line: text.slice(at, end < 0 ? text.length : end), before: text.slice(before, at - 1) }
}
