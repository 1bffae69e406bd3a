import type { Change } from '../../src/rules/part-rule.ts'

/** The document after all changes, made one after the other; missing objects on the way are created. */
export function changed(document: unknown, changes: readonly Change[]): unknown {
  return changes.reduce(
    (before, { pointer, value }) => withValue(before, pointer.split('/').slice(1).map(unescaped), value),
    document,
  )
}

function withValue(document: unknown, path: readonly string[], value: unknown): unknown {
  const [part, ...rest] = path
  if (part === undefined) return value
  if (Array.isArray(document)) {
    return document.map((element, at) => (String(at) === part ? withValue(element, rest, value) : element))
  }
  const { [part]: before, ...others } =
    typeof document === 'object' && document !== null ? asRecord(document) : {}
  const inner = withValue(before, rest, value)
  return inner === null && rest.length === 0 ? others : { ...others, [part]: inner }
}

function asRecord(value: object): Readonly<Record<string, unknown>> {
  return value as Readonly<Record<string, unknown>>
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
