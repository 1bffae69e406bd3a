/** What a schema expects of a value, in words: the types that it may have, the keys of an object, its purpose. */
import type { z } from 'zod'
import { compact } from '../../src/compact.ts'
import { alternatives, type Schema } from '../validation/object-schema.ts'

/** For a value that is absent or has the wrong type; adds the schema's own description where nothing else says enough. */
export function expectation(issue: z.core.$ZodIssue, schemas: readonly Schema[], absent: boolean): string {
  const kinds = [...new Set(schemas.flatMap((schema) => alternatives(schema)).flatMap(kindsOf))]
  const words = kinds.filter((kind) => kind.startsWith('"')).map((kind) => kind.slice(1, -1))
  if (issue.code === 'invalid_union' && 'options' in issue) {
    const { options = [] } = issue
    return absent ? `one of ${options.join(', ')}` : `is none of ${options.join(', ')}`
  }
  if (words.length > 1 && words.length === kinds.length) {
    return absent ? `one of ${words.join(', ')}` : `is none of ${words.join(', ')}`
  }
  const about = schemas.map(described).find((text) => text !== undefined)
  if (absent || (issue.code === 'invalid_union' && kinds.length > 0)) {
    const expected = listing(kinds)
    return compact(absent ? expected : `expected ${expected}`, absent && about).join(': ')
  }
  const said = issue.message.replace(/^Invalid input: /, '')
  const ofObject =
    issue.code === 'invalid_type' && issue.expected === 'object'
      ? kinds.find((kind) => kind.startsWith('an object'))
      : undefined
  return ofObject ? said.replace('expected object', `expected ${ofObject}`) : said
}

function listing(kinds: readonly string[]): string {
  const last = kinds.at(-1)
  return kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${last}` : (last ?? 'a value')
}

const plain: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  array: 'a list',
  null: 'null',
  record: 'an object',
}

/** The most keys of an object that are listed. */
const mostKeys = 9

function kindsOf(schema: Schema): readonly string[] {
  const { def, values } = schema._zod
  if (def.type === 'boolean') return ['true', 'false']
  if (values && values.size > 0) {
    return [...values].map((value) => (typeof value === 'string' ? `"${value}"` : String(value)))
  }
  if ('shape' in def) {
    const keys = Object.keys(def.shape as object)
    const told = keys.length > mostKeys ? [...keys.slice(0, mostKeys), '…'] : keys
    return [`an object with ${told.join(', ')}`]
  }
  // A text that is read into something else is a text.
  if ('in' in def) return kindsOf(def.in as Schema)
  const whole = 'format' in def && def.format === 'safeint'
  return [plain[whole ? 'int' : def.type] ?? def.type]
}

/** The first sentence of a schema's description. */
function described(schema: Schema): string | undefined {
  const { description } = schema as { description?: string }
  return description?.replace(/\.\s[\s\S]*$/, '').replace(/\.$/, '')
}
