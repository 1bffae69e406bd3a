/** What a calculation sets, be it `(( N = 1 << 2 ))` or `let N=4`. Source: bash(1), "ARITHMETIC EVALUATION". */
import { type Assigned, assign } from './assigned.ts'
import { matching } from './brackets.ts'
import { numberIn } from './expansion.ts'
import { isLooseIn, type Known } from './reading.ts'

/** Reads a calculation that is a command by itself; false, and reads nothing, if there is none. */
export function calculation(known: Known): boolean {
  const { here } = known
  if (!here.text.startsWith('((', here.at)) return false
  const end = matching(here.text, here.at)
  if (here.text[end - 1] !== ')') return false
  calculate(known, here.text.slice(here.at + 2, end - 1))
  here.at = end + 1
  return true
}

/** Sets what an expression assigns; where it is not known, as it would be written with `$((…))`. */
export function calculate(known: Known, expression: string): void {
  const set = assignedBy(expression)
  if (!set) return
  const { name, from } = set
  const value = numberIn(from, known.variables)
  const isLoose = known.branches.isLoose() || isLooseIn(from, known.loose)
  const one: Assigned = { name, from: known.here.at, value: [`${value ?? `$((${from}))`}`], isLoose }
  assign(known, one)
}

interface Set {
  readonly name: string
  /** The expression that it is set to. */
  readonly from: string
}

function assignedBy(expression: string): Set | null {
  const text = expression.slice(0, longest)
  const [, step, before = ''] = /^\s*(\+\+|--)\s*([A-Za-z_]\w*)\s*$/.exec(text) ?? []
  const [, after = '', later] = /^\s*([A-Za-z_]\w*)\s*(\+\+|--)\s*$/.exec(text) ?? []
  const counted = before || after
  if (counted) return { name: counted, from: `${counted} ${(step ?? later ?? '')[0]} 1` }
  const found = /^\s*([A-Za-z_]\w*)\s*(\*\*|<<|>>|[-+*/%])?=(?!=)([\s\S]+)$/.exec(text)
  const [, name = '', operator, from = ''] = found ?? []
  if (!found) return null
  return { name, from: operator === undefined ? from : `${name} ${operator} (${from})` }
}

/** In characters, as of what is read of arithmetic. */
const longest = 500
