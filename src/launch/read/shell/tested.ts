/**
 * What a test of bash says (`[ a = b ]`, `[[ a == b ]]`, `-z`, `-n`, `-eq` and its like, `true`, `false`), null where that is not known:
 * words that still have variables or commands in them, patterns, files, several tests in one. Source: bash(1), "CONDITIONAL EXPRESSIONS".
 */
import { ownValue } from '../../../fields.ts'
import { denied, type Says } from './says.ts'

const closed: Readonly<Record<string, string>> = { '[': ']', '[[': ']]' }

const ofTexts: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  '=': (a, b) => a === b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

const ofNumbers: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '-eq': (a, b) => a === b,
  '-ne': (a, b) => a !== b,
  '-lt': (a, b) => a < b,
  '-le': (a, b) => a <= b,
  '-gt': (a, b) => a > b,
  '-ge': (a, b) => a >= b,
}

const ofOne: Readonly<Record<string, (a: string) => boolean>> = {
  '-z': (a) => a === '',
  '-n': (a) => a !== '',
}

const commands: Readonly<Record<string, boolean>> = { true: true, false: false }

export function tested(words: readonly string[]): Says {
  const [first = '', ...rest] = words
  if (first === '!') return denied(tested(rest))
  if (words.length === 1) return ownValue(commands, first) ?? null
  const end = ownValue(closed, first)
  if (first === 'test') return expression(rest)
  return end !== undefined && rest.at(-1) === end ? expression(rest.slice(0, -1)) : null
}

function expression(words: readonly string[]): Says {
  const [a = '', sign = '', b = ''] = words
  // Patterns, variables and commands: what they come to is not here.
  if (words.some((word) => /[$`*?\\]|\[(?!$)/.test(word))) return null
  if (a === '!') return denied(expression(words.slice(1)))
  if (words.length < 2) return a !== ''
  if (words.length === 2) return ownValue(ofOne, a)?.(sign) ?? null
  if (words.length !== 3) return null
  const whole = /^-?\d{1,15}$/.test(a) && /^-?\d{1,15}$/.test(b)
  return (
    ownValue(ofTexts, sign)?.(a, b) ??
    (whole ? (ownValue(ofNumbers, sign)?.(Number(a), Number(b)) ?? null) : null)
  )
}
