/** The dashes that an option begins with, and what stands in their place where a command was copied from a text or was typed in haste. */

/** What word processors and web pages make of two hyphens, or of one. */
const others = '\u2010-\u2015\u2212\ufe58\ufe63\uff0d'

/** All that stands for dashes, as the inside of a class of characters. */
export const likeDashes = `-${others}`

const alike = new RegExp(`^[${likeDashes}]+`)
const otherwise = new RegExp(`^(-|[${likeDashes}]{0,3}[${others}][${likeDashes}]{0,3})[A-Za-z]\\S*$`)

export function isOption(word: string): boolean {
  return /^--[A-Za-z]/.test(word)
}

/** Whether a word begins as options do, but for the dashes: parsers take none of these for a value. */
export function isOtherwiseDashed(word: string): boolean {
  return otherwise.test(word)
}

/** Whether a word is the name of an option that is read, without dashes; names of one word may be values. */
export function isBare(word: string, options: ReadonlySet<string>): boolean {
  const [name = ''] = word.split('=')
  return /^[A-Za-z]\w*[-_]/.test(name) && options.has(`--${name.replaceAll('_', '-')}`)
}

/** A word in two: what is like dashes, and the rest. */
export function dashesOf(word: string): readonly [dashes: string, name: string] {
  const [dashes = ''] = alike.exec(word) ?? []
  return [dashes, word.slice(dashes.length)]
}

/** Rows of what an option may begin with, the first that is found counts. */
const begun: readonly (readonly [mark: RegExp, says: string])[] = [
  [/\u2013/, 'begins with an en dash (U+2013)'],
  [/\u2014/, 'begins with an em dash (U+2014)'],
  [/\u2212/, 'begins with a minus sign (U+2212)'],
  [new RegExp(`[${others}]`), 'begins with a dash that is no hyphen'],
  [/--/, 'begins with dashes'],
  [/-/, 'begins with one dash'],
]

/** What is wrong with an option that begins so. */
export function flawOf(dashes: string): string {
  return begun.find(([mark]) => mark.test(dashes))?.[1] ?? 'has no dashes before it'
}

/** Whether they are other characters than a keyboard's hyphen, which no parser takes for one. */
export function areOthers(dashes: string): boolean {
  return new RegExp(`[${others}]`).test(dashes)
}
