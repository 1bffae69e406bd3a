/**
 * Validates answers against openapi.yaml with a validator that does not know the schemas in code. It is stricter than
 * the document in one point: unlisted fields are rejected, so that the document cannot fall behind.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'

type Json = Record<string, unknown>

const document = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>
  components: { responses: Record<string, Json> }
}

const ajv = new Ajv2020({ strict: true, allErrors: true, strictTypes: false, strictRequired: false })
for (const word of ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'])
  ajv.addKeyword(word)
ajv.addSchema(closed(document) as Json, 'document')

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** What the document does not say of this answer. */
export function faultsByDocument(method: 'get' | 'post', path: string, answer: Answered): readonly string[] {
  const { status, headers, body } = answer
  const documented = document.paths[path]?.[method]?.responses[status]
  if (!documented) return [`${method} ${path} has no ${status} in the document`]
  const type = String(headers['content-type']).split(';', 1)[0] ?? ''
  const reference = '$ref' in documented ? String(documented.$ref) : undefined
  const pointer = reference ?? `#/paths/${escaped(path)}/${method}/responses/${status}`
  const component = document.components.responses[reference?.split('/').pop() ?? ''] ?? documented
  const types = Object.keys((component.content ?? {}) as Json)
  if (!types.includes(type)) return [`${method} ${path} ${status} has no ${type} in the document`]
  const validate = validator(`document${pointer}/content/${escaped(type)}/schema`)
  validate(body)
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${method} ${path} ${status}: ${instancePath} ${message}`,
  )
}

const validators = new Map<string, ValidateFunction>()

/** Ajv would compile a schema again for each answer, and keep it: soaks have tens of thousands. */
function validator(reference: string): ValidateFunction {
  const known = validators.get(reference) ?? ajv.compile({ $ref: reference })
  validators.set(reference, known)
  return known
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Every object schema that lists properties, closed. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === 'examples' ? undefined : closed(value),
  ])
  const copy = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Json
  const lists = copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy)
  return lists ? { ...copy, additionalProperties: false } : copy
}
