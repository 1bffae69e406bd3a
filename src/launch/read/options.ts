/** Takes the options of a command line one by one; those that nobody takes count as not understood. */
import { ownValue } from '../../fields.ts'
import { isBare, isOption, isOtherwiseDashed } from './dashes.ts'
import { pythonFloat, pythonInt } from './python-numbers.ts'

export interface Options {
  /** Values of an option under any of its names, where it is given last; null if it is not given. */
  readonly values: (...names: readonly string[]) => readonly string[] | null
  readonly has: (...names: readonly string[]) => boolean
  /** Whether a switch is given; with a fault if a word for yes or no follows it, which its parser refuses. */
  readonly isOn: (name: string) => boolean
  /** The same values, of an option that stays untaken: for what only speaks against it. */
  readonly given: (name: string) => readonly string[] | null
  /** The option's first value; null, with a fault, if that is no number, or if it has none. */
  readonly number: (...names: readonly string[]) => number | null
  /** A whole number from 1 to 1e9, written as one; null, with a fault, for other numbers. */
  readonly whole: (...names: readonly string[]) => number | null
  readonly text: (...names: readonly string[]) => string | null
  readonly faults: readonly string[]
  /** Options that nobody took, with their values. */
  readonly left: () => readonly string[]
  /** Words that may be options but for their dashes, with what follows them. */
  readonly undashed: () => readonly string[]
  /** Names that were asked for, whether given or not. */
  readonly known: () => readonly string[]
}

/** Whether a shell or a template fills in a value, or a part of it, so that it is not known. */
export function isFilledIn(value: string): boolean {
  return /[$`]|\{\{/.test(value)
}

/** Why a value that a shell would fill in is not known. */
export function unset(value: string): string {
  if (value.includes('{{')) return 'which a template fills in: give what it prints (`helm template`)'
  return /\$\((?!\()|`/.test(value)
    ? 'which a program says where it runs: write what it says'
    : 'which the text does not set'
}

/** What is said of an option whose value an empty variable is, as a shell that has not been given it hands it on. */
export function emptyText(option: string): string {
  return `${option} is empty: a variable that it takes is not set here, and an overlay, a values file or the environment has to set it`
}

/** `synonyms` has for each other name of an option the words that it stands for, of which the last option takes its values. */
export function optionsOf(
  words: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): Options {
  const found = new Map<string, string[]>()
  const taken = new Set<string>()
  const faults: string[] = []
  const stray: string[] = []
  let name: string | null = null
  const add = (word: string) => {
    const own = name === null ? stray : found.get(name)
    own?.push(word)
  }
  for (const word of words.flatMap(separated)) {
    if (!isOption(word) && !isOtherwiseDashed(word)) add(word)
    else {
      const [own = word, ...rest] = word.split('=')
      const meant = ownValue(synonyms, own) ?? own
      for (const one of meant.split(' ')) {
        if (isOption(one) || isOtherwiseDashed(one)) {
          name = one
          found.set(one, [])
        } else add(one)
      }
      if (rest.length > 0) add(rest.join('='))
    }
  }

  const values = (...names: readonly string[]): readonly string[] | null => {
    for (const one of names) taken.add(one)
    const own = names.findLast((one) => found.has(one))
    return own === undefined ? null : (found.get(own) ?? [])
  }
  const text = (...names: readonly string[]): string | null => values(...names)?.[0] ?? null
  // An option may be asked for twice.
  const fault = (one: string) => (faults.includes(one) ? 0 : faults.push(one))
  const number = (...names: readonly string[]): number | null => {
    const given = values(...names)
    if (given === null) return null
    const [value] = given
    if (value === undefined) {
      fault(`${names[0]} has no value`)
      return null
    }
    const read = pythonFloat(value)
    if (read !== null) return read
    if (value === '') {
      fault(emptyText(names[0] ?? ''))
      return null
    }
    const why = /\$|\{\{/.test(value) ? unset(value) : 'which is no number'
    fault(`${names[0]} is ${value}, ${why}`)
    return null
  }
  return {
    values,
    has: (...names) => values(...names) !== null,
    isOn: (one) => {
      const given = values(one)
      const answer = given?.find((word) => yesOrNo.test(word))
      if (answer !== undefined) fault(`${one} takes no value, and its parser refuses the ${answer} behind it`)
      return given !== null
    },
    given: (one) => found.get(one) ?? null,
    text,
    number,
    whole: (...names) => {
      const value = number(...names)
      const written = text(...names) ?? ''
      if (value === null) return null
      if (Number.isInteger(value) && value >= 1 && value <= 1e9) {
        if (pythonInt(written) !== null) return value
        fault(`${names[0]} is ${written}, which is not written as a whole number: ${value} is`)
        return null
      }
      fault(`${names[0]} is ${written}, which is no count`)
      return null
    },
    faults,
    left: () => [
      ...[...found].filter(([own]) => !taken.has(own)).map(([own, given]) => [own, ...given].join(' ')),
      ...stray,
    ],
    undashed: () => [
      ...[...found]
        .filter(([own]) => isOtherwiseDashed(own))
        .map(([own, given]) => [own, ...given].join(' ')),
      ...[stray, ...found.values()].flatMap((given) =>
        given.flatMap((one, at) =>
          isBare(one, taken) && (given === stray || one.includes('=') || given.length > 1)
            ? [given.slice(at, at + 2).join(' ')]
            : [],
        ),
      ),
    ],
    known: () => [...taken],
  }
}

/** Words for yes or no, as parsers of other programs take them behind a switch. */
export const yesOrNo = /^(true|yes|on|1|false|no|off|0)$/i

/** Splits an option that is quoted together with its values: "--fp8-format hybrid". */
function separated(word: string): readonly string[] {
  return /^--[A-Za-z][\w-]*\s/.test(word) ? word.split(/\s+/).filter(Boolean) : [word]
}
