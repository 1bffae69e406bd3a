/** What a calculation sets, be it `(( N = 1 << 2 ))` or `let N=4`. Source: bash(1), "ARITHMETIC EVALUATION". */
import { type Assigned, assign } from './assigned.ts'
import { matching } from './brackets.ts'
import { numberIn } from './expansion.ts'
import { isLooseIn, type Known } from './reading.ts'

/** Reads a calculation that is a command by itself; false, and reads nothing, if there is none. */
export function calculation(known: Known): boolean {
  const { here } = known
  if (!here.text.startsWith('((', here.at)) return false
  // No more is looked through: for brackets that nothing closes it would be all the rest of the text, for each of them.
  const part = here.text.slice(here.at, here.at + longest)
  const end = matching(part, 0)
  if (part.slice(end - 1, end + 1) !== '))') return false
  calculate(known, part.slice(2, end - 1))
  here.at += end + 1
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

interface Setting {
  readonly name: string
  /** The expression that it is set to. */
  readonly from: string
}

function assignedBy(expression: string): Setting | null {
  const [, step, before = ''] = /^\s*(\+\+|--)\s*([A-Za-z_]\w*)\s*$/.exec(expression) ?? []
  const [, after = '', later] = /^\s*([A-Za-z_]\w*)\s*(\+\+|--)\s*$/.exec(expression) ?? []
  const counted = before || after
  if (counted) return { name: counted, from: `${counted} ${(step ?? later ?? '')[0]} 1` }
  const found = /^\s*([A-Za-z_]\w*)\s*(\*\*|<<|>>|[-+*/%])?=(?!=)([\s\S]+)$/.exec(expression)
  const [, name = '', operator, from = ''] = found ?? []
  if (!found) return null
  return { name, from: operator === undefined ? from : `${name} ${operator} (${from})` }
}

/** In characters, with its brackets: arithmetic.ts calculates nothing longer. */
const longest = 500
