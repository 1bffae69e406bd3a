/**
 * Values as an expansion changes them: `${NAME,,}`, `${NAME^^}`, `${NAME%.*}`, `${NAME#*=}`, `${NAME//a/b}`, `${#NAME}`, `${#ITEMS[@]}`,
 * `${ITEMS[0]}`, `${!NAME}`, `${!ITEMS[@]}`; of all items of an array, of each. Source: bash(1), "Parameter Expansion".
 */
import { ownValue } from '../../../fields.ts'
import { endsIn, type Glob, globOf } from './glob.ts'
import { keyed, keysOf, unquoted, valuesOf } from './items.ts'
import type { ShellVariables } from './variables.ts'

/** What an expansion may need of the others in it. */
export interface Inner {
  readonly number: (text: string) => number | null
  readonly text: (text: string) => string
}

type Change = (value: string, operand: string) => string | null

const form = /^\$\{([#!]?)(\w+|[@*])(?:\[([^[\]]{1,100})\])?([\s\S]*)\}$/
const sign = /^(%%?|##?|,,?|\^\^?|\/[/#%]?)([\s\S]*)$/

/** Of work that is put into a pattern: its steps for each place of a value that it may begin and end in. */
const most = 100_000

const changes: Readonly<Record<string, Change>> = {
  ',,': whole((value) => value.toLowerCase()),
  '^^': whole((value) => value.toUpperCase()),
  ',': whole((value) => value.slice(0, 1).toLowerCase() + value.slice(1)),
  '^': whole((value) => value.slice(0, 1).toUpperCase() + value.slice(1)),
  '#': cut((value, steps) => value.slice(endsIn(value, steps)[0] ?? 0)),
  '##': cut((value, steps) => value.slice(endsIn(value, steps).at(-1) ?? 0)),
  '%': cut((value, steps) => withoutEnd(value, endsIn(reversed(value), steps)[0]), true),
  '%%': cut((value, steps) => withoutEnd(value, endsIn(reversed(value), steps).at(-1)), true),
  '/': replaced((value, steps, by) => substituted(value, steps, by, false)),
  '//': replaced((value, steps, by) => substituted(value, steps, by, true)),
  '/#': replaced((value, steps, by) => {
    const end = endsIn(value, steps).at(-1)
    return end === undefined ? value : by + value.slice(end)
  }),
  '/%': replaced((value, steps, by) => {
    const end = endsIn(reversed(value), [...steps].reverse()).at(-1)
    return end === undefined ? value : withoutEnd(value, end) + by
  }),
}

/** Null for what is no such expansion, and for what is not known. */
export function changed(braced: string, variables: ShellVariables, inner: Inner): readonly string[] | null {
  const [, mark, name = '', index, rest = ''] = form.exec(braced) ?? []
  const own = name === '' ? undefined : variables.read(name)
  if (mark === '!' && own && rest === '' && index !== undefined && isAll(name, index)) return keysOf(own)
  const chosen = own && chosenOf(own, /^[@*]$/.test(name) ? name : index, inner)
  // A value with what is not known in it has another length, and other letters.
  if (!chosen || chosen.some((value) => /[$`]/.test(value))) return null
  if (mark === '#')
    return rest !== '' ? null : [`${isAll(name, index) ? chosen.length : (chosen[0] ?? '').length}`]
  if (mark === '!')
    return rest === '' && index === undefined ? (variables.read(chosen[0] ?? '') ?? null) : null
  if (rest === '') return chosen
  const [, operator = '', written = ''] = sign.exec(rest) ?? []
  const change = ownValue(changes, operator)
  if (!change) return null
  const operand = inner.text(written)
  const after = chosen.map((value) => change(value, operand))
  return after.every((value) => value !== null) ? after : null
}

function isAll(name: string, index: string | undefined): boolean {
  return /^[@*]$/.test(index ?? name)
}

/** Items of an array that an index names: all, one by its place, or by its key where all are written with one. */
function chosenOf(
  items: readonly string[],
  index: string | undefined,
  inner: Inner,
): readonly string[] | null {
  if (index !== undefined && /^[@*]$/.test(index)) return valuesOf(items)
  const own = keyed(items)
  if (own) {
    const key = unquoted(inner.text(index ?? '0'))
    return /[$`]/.test(key) ? null : [own.get(key) ?? own.get(`${inner.number(key)}`) ?? '']
  }
  const place = inner.number((index ?? '0').replace(/^-/, ''))
  const found = place === null ? undefined : index?.startsWith('-') ? items.at(-place) : items[place]
  return found === undefined ? null : [found]
}

function whole(change: (value: string) => string): Change {
  return (value, operand) => (operand === '' ? change(value) : null)
}

function cut(change: (value: string, steps: Glob) => string, fromEnd = false): Change {
  return (value, operand) => {
    const steps = patternOf(operand, value.length)
    return steps && change(value, fromEnd ? [...steps].reverse() : steps)
  }
}

function replaced(change: (value: string, steps: Glob, by: string) => string): Change {
  return (value, operand) => {
    // What is to be replaced ends at the first slash that no quote holds.
    const [pattern = ''] = /^(?:\\[\s\S]|"[^"]*"|'[^']*'|[^/\\])*/.exec(operand) ?? []
    const by = operand.slice(pattern.length + 1)
    const steps = patternOf(pattern, pattern.includes('*') ? value.length ** 2 : value.length)
    return steps && !/[$`&\\]/.test(by) ? change(value, steps, unquoted(by)) : null
  }
}

function patternOf(text: string, places: number): Glob | null {
  return /[$`]/.test(text) || text.length * places > most ? null : globOf(text)
}

function substituted(value: string, steps: Glob, by: string, all: boolean): string {
  let text = ''
  for (let at = 0; at < value.length; ) {
    const end = endsIn(value.slice(at), steps).at(-1) ?? 0
    if (end > 0 && !all) return text + by + value.slice(at + end)
    text += end > 0 ? by : value[at]
    at += Math.max(1, end)
  }
  return text
}

function reversed(text: string): string {
  return text.split('').reverse().join('')
}

function withoutEnd(value: string, length = 0): string {
  return value.slice(0, value.length - length)
}
