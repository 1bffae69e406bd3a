/** Expands a `$…` of a shell script. */
import { arithmetic } from './arithmetic.ts'
import { closing, matching } from './brackets.ts'
import type { ShellVariables } from './variables.ts'

export interface Expanded {
  readonly fields: readonly string[]
  /** Position behind the expansion. */
  readonly after: number
}

/** All fields of an array, otherwise a single one; stays as written if the script does not set the variable. */
export function expanded(text: string, at: number, variables: ShellVariables): Expanded {
  const rest = text.slice(at, at + 4000)
  const asWritten = (after: number): Expanded => ({ fields: [text.slice(at, after)], after })
  if (rest[0] === '`') return asWritten(closing(text, at, '`') + 1)
  if (rest.startsWith('$((')) {
    const end = matching(text, at + 1)
    const inner = text.slice(at + 3, Math.min(end, at + 1000) - 1)
    const value = arithmetic(
      inner.replaceAll(
        /\$\{?(\w+)\}?|[A-Za-z_]\w*/g,
        (name, own) => variables.all.get(own ?? name)?.[0] ?? name,
      ),
    )
    return value === null ? asWritten(end + 1) : { fields: [String(value)], after: end + 1 }
  }
  if (rest.startsWith('$(')) return asWritten(matching(text, at + 1) + 1)
  const braced = /^\$\{(\w+)(\[[@*]\])?(?::?-([^}]*))?\}/.exec(rest)
  const plain = /^\$(\w+|[@*#?])/.exec(rest)
  const [whole = '', name = '', , fallback] = braced ?? plain ?? []
  if (whole === '') {
    if (rest.startsWith('${')) return asWritten(matching(text, at + 1) + 1)
    return { fields: ['$'], after: at + 1 }
  }
  const after = at + whole.length
  const known = variables.read(name)
  if (known && !(known.length === 1 && known[0] === '' && fallback !== undefined))
    return { fields: braced?.[2] ? known : known.slice(0, 1), after }
  return { fields: [fallback === undefined ? whole : fallback.replaceAll(/^["']|["']$/g, '')], after }
}
