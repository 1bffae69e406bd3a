/** The documents of a text of YAML. */
import { parseAllDocuments } from 'yaml'
import { recent } from '../../../src/recent.ts'

/** Of the last text: what a file starts, where and how often are asked one after the other. */
const parsed = recent<readonly unknown[]>(1)

/** Null for a text without the mark of what is looked for; none of one that is no YAML. */
export function yamlDocuments(text: string, mark: RegExp): readonly unknown[] | null {
  if (!mark.test(text)) return null
  const documents = parsed.get(text) ?? documentsIn(text)
  parsed.set(text, documents)
  return documents
}

function documentsIn(text: string): readonly unknown[] {
  try {
    return parseAllDocuments(text, { logLevel: 'error', prettyErrors: false, merge: true }).map((document) =>
      document.toJS({ maxAliasCount: 20 }),
    )
  } catch {
    return []
  }
}
