/** The documents of a text of YAML. */
import { parseAllDocuments } from 'yaml'

/** Null for a text without the mark of what is looked for; none of one that is no YAML. */
export function yamlDocuments(text: string, mark: RegExp): readonly unknown[] | null {
  if (!mark.test(text)) return null
  try {
    return parseAllDocuments(text, { logLevel: 'error' }).map((document) =>
      document.toJS({ maxAliasCount: 20 }),
    )
  } catch {
    return []
  }
}
