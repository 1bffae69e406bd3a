/**
 * Evaluates whole-number arithmetic of a shell, `$((A * B))`: + - * / % **, shifts, comparisons, && and ||, `A > B ? A : B` and parentheses. Null
 * for anything else.
 */
import { ownValue } from '../../../fields.ts'

/** Limit on the text's length, which also limits how deep brackets nest. */
const longest = 500

type Operation = (left: number, right: number) => number | null

/** Operators with two sides, those that bind least first. */
const levels: readonly Readonly<Record<string, Operation>>[] = [
  { '||': (left, right) => Number(left !== 0 || right !== 0) },
  { '&&': (left, right) => Number(left !== 0 && right !== 0) },
  { '==': (left, right) => Number(left === right), '!=': (left, right) => Number(left !== right) },
  {
    '<=': (left, right) => Number(left <= right),
    '>=': (left, right) => Number(left >= right),
    '<': (left, right) => Number(left < right),
    '>': (left, right) => Number(left > right),
  },
  { '<<': (left, right) => left * 2 ** right, '>>': (left, right) => Math.floor(left / 2 ** right) },
  { '+': (left, right) => left + right, '-': (left, right) => left - right },
  {
    '*': (left, right) => left * right,
    '/': (left, right) => (right === 0 ? null : Math.trunc(left / right)),
    '%': (left, right) => (right === 0 ? null : left % right),
  },
  { '**': (left, right) => left ** right },
]

export function arithmetic(text: string): number | null {
  if (text.length > longest) return null
  const tokens = text.match(/\d+|<<|>>|\*\*|[<>=!]=|&&|\|\||[-+*/%()<>?:]|\S/g) ?? []
  let at = 0

  function choice(): number | null {
    const asked = chain(0)
    if (tokens[at] !== '?') return asked
    at++
    const then = choice()
    if (tokens[at++] !== ':') return null
    const other = choice()
    return asked === null ? null : asked !== 0 ? then : other
  }

  function chain(level: number): number | null {
    const operations = levels[level]
    if (!operations) return unit()
    let left = chain(level + 1)
    for (;;) {
      const operation = ownValue(operations, tokens[at] ?? '')
      if (!operation) return left
      at++
      const right = chain(level + 1)
      left = left === null || right === null ? null : operation(left, right)
    }
  }

  function unit(): number | null {
    const token = tokens[at++]
    if (token === '(') {
      const inner = choice()
      return tokens[at++] === ')' ? inner : null
    }
    return token !== undefined && /^\d+$/.test(token) ? Number(token) : null
  }

  const value = choice()
  return at === tokens.length ? value : null
}
