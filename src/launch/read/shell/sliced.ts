/** Parts of arguments, arrays and texts by their place: `${@:3}`, `${@:2:1}`, `${ARGS[@]:1}`, `${NAME:0:4}`. Source: bash(1), "Parameter Expansion". */
import type { ShellVariables } from './variables.ts'

/** A minus right behind the colon is a default instead. */
const slice = /^\$\{(\w+|[@*])(\[[@*]\])?:(?![-=?+])([^:{}]+)(?::([^:{}]+))?\}$/

/** Null for what is no such part, or not known; `value` gives the number that a text stands for. */
export function sliced(
  braced: string,
  variables: ShellVariables,
  value: (text: string) => number | null,
): readonly string[] | null {
  const [, name = '', items, from = '', count] = slice.exec(braced) ?? []
  const isArguments = name === '@' || name === '*'
  const own = name === '' ? undefined : variables.read(name)
  // Where it begins with a minus it counts from the end.
  const number = (text: string) => {
    const [, rest] = /^\s*-\s*(\$?\w+)\s*$/.exec(text) ?? []
    const found = value(rest ?? text)
    return found === null || rest === undefined ? found : -found
  }
  const [start, length] = [number(from), count === undefined ? Number.POSITIVE_INFINITY : number(count)]
  if (own === undefined || start === null || length === null) return null
  if (!isArguments && items === undefined) {
    const text = own[0] ?? ''
    const begin = start < 0 ? text.length + start : start
    if (begin < 0) return ['']
    return [length < 0 ? text.slice(begin, length) : text.slice(begin, begin + length)]
  }
  // Arguments are counted from 1, and before them is the name of the script, which is not known.
  if (length < 0 || (isArguments && start === 0)) return null
  const begin = start < 0 ? own.length + start : isArguments ? start - 1 : start
  return begin < 0 ? [] : own.slice(begin, begin + length)
}
