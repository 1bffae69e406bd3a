/** Options of a torchtitan command: dotted ones by section and key, and what its parser would not take for one. */
import { dashesOf, isOption, isOtherwiseDashed } from '../../read/dashes.ts'
import type { LaunchReading, Misdashed } from '../../read/reading.ts'

/** The last value given for each option; an option without a value is a switch. */
export type Given = ReadonlyMap<string, string | true>

export function dotted(words: readonly string[]): Given {
  const found = new Map<string, string | true>()
  words.forEach((word, at) => {
    if (!word.startsWith('--')) return
    const [name = '', ...rest] = word.slice(2).split('=')
    const next = words[at + 1]
    const value = next === undefined || next.startsWith('--') || next.includes('checkpoint:') ? true : next
    found.set(name.replaceAll('-', '_'), rest.length > 0 ? rest.join('=') : value)
  })
  return found
}

/** What options say, by section and key. */
export function sectionsGiven(
  given: Given,
  apart: readonly string[],
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const sections: Record<string, Record<string, unknown>> = {}
  for (const [name, value] of given) {
    const at = name.indexOf('.')
    if (apart.includes(name)) continue
    const [section, key] = at < 0 ? ['command', name] : [name.slice(0, at), name.slice(at + 1)]
    sections[section] = { ...sections[section], [key]: plain(value) }
  }
  return sections
}

function plain(value: string | true): unknown {
  if (value === true) return true
  return /^-?\d+$/.test(value) ? Number(value) : value
}

/** Settings that do not begin with two hyphens, with which its parser stops (tyro: "Unrecognized options"). */
export function misdashedIn(
  words: readonly string[],
  { known = [] }: LaunchReading,
): Pick<LaunchReading, 'misdashed'> {
  const misdashed = words.flatMap((word, at): readonly Misdashed[] => {
    const [dashes, rest] = dashesOf(word)
    const [option = '', name = ''] = [word, rest].map((one) => one.split('=')[0] ?? '')
    const isKnown = known.includes(name.replaceAll('-', '_'))
    const isValue = isOption(words[at - 1] ?? '') && !words[at - 1]?.includes('=')
    const isWrong = dashes === '' ? isKnown && !isValue : isOtherwiseDashed(word) && name.includes('.')
    return isWrong ? [{ option, meant: isKnown ? `--${name}` : null }] : []
  })
  return misdashed.length > 0 ? { misdashed } : {}
}
