/**
 * Patterns of a shell as steps, one for each character that a text may have in a place, or `any` for as many as there are. Source: bash(1),
 * "Pattern Matching".
 */
import { ownValue } from '../../../fields.ts'

type Step = 'any' | ((letter: string) => boolean)
export type Glob = readonly Step[]

const classes: Readonly<Record<string, RegExp>> = {
  space: /\s/,
  blank: /[ \t]/,
  digit: /\d/,
  alpha: /[A-Za-z]/,
  alnum: /[A-Za-z\d]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
}

/** Null for what is not read: extended patterns, and lists of characters that nothing closes. */
export function globOf(pattern: string): Glob | null {
  const steps: Step[] = []
  for (let at = 0; at < pattern.length; ) {
    const next = pattern[at] ?? ''
    const end = `"'`.includes(next) ? pattern.indexOf(next, at + 1) : at
    if (end < 0 || /^[?*+@!]\(/.test(pattern.slice(at, at + 2))) return null
    if (end > at) for (const letter of pattern.slice(at + 1, end)) steps.push(is(letter))
    const list = next === '[' ? /^\[([!^]?)(\]?(?:\[:\w+:\]|[^\]])*)\]/.exec(pattern.slice(at)) : null
    if (next === '[' && list === null) return null
    if (list) steps.push(listed(list[2] ?? '', list[1] !== ''))
    else if (next === '\\') steps.push(is(pattern[++at] ?? '\\'))
    else if (next === '*') steps.push('any')
    else if (next === '?') steps.push(() => true)
    else if (end === at) steps.push(is(next))
    at = list ? at + list[0].length : Math.max(end, at) + 1
  }
  return steps
}

function is(own: string): Step {
  return (letter) => letter === own
}

function listed(list: string, denied: boolean): Step {
  const named = [...list.matchAll(/\[:(\w+):\]/g)].map(([, name = '']) => ownValue(classes, name))
  const ranges = list.replaceAll(/\[:\w+:\]/g, '').match(/[^\\]-[^\\]|[\s\S]/g) ?? []
  const has = (letter: string) =>
    named.some((one) => one?.test(letter)) ||
    ranges.some((range) =>
      range.length === 3 ? letter >= (range[0] ?? '') && letter <= (range[2] ?? '') : letter === range,
    )
  return (letter) => has(letter) !== denied
}

/** Where a pattern that begins with a text may end in it, the nearest place first. */
export function endsIn(text: string, steps: Glob): readonly number[] {
  let places = new Set([0])
  for (const step of steps) {
    const next = new Set<number>()
    if (step === 'any') for (let at = Math.min(...places); at <= text.length; at++) next.add(at)
    else for (const at of places) if (at < text.length && step(text[at] ?? '')) next.add(at + 1)
    if (next.size === 0) return []
    places = next
  }
  return [...places].sort((a, b) => a - b)
}
