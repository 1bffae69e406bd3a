/**
 * Lines of options that no command goes on to: a comment, blanks behind a backslash or none of it ended the command before them, so that a
 * shell looks for a program of the option's name. A text of options alone, which is no script, has no command in front of them.
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
  /** Takes each command that runs, in their order: its first word, where it begins and the character that ends it. */
  readonly take: (first: string, from: number, ended: string) => void
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
  return {
    all,
    take: (first, from, ended) => {
      const begins = isOption(first) || isOtherwiseDashed(first)
      const line = begins && open ? text.lastIndexOf('\n', from - 1) + 1 : null
      const isCut = line !== null && isLines(text, line, from)
      open = ended === '\n' && (isCut || !(begins || skipped.has(first)))
      const option = (first.split('=')[0] ?? first).slice(0, longest)
      if (isCut) add([{ option, ...linesAt(text, line) }])
    },
    add,
  }

  /** A function that is called twice has the same lines. */
  function add(found: readonly CutOff[]): void {
    for (const one of found) {
      const isThere = all.some(({ line, before }) => line === one.line && before === one.before)
      if (all.length < most && !isThere) all.push(one)
    }
  }
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
