/** What operations of several routes have in common. */
import type { JsonSchema } from '../components.ts'
import { idHeader } from '../responses.ts'

type Tag = 'plans' | 'catalogue' | 'service'

export interface About {
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
}

/** With or without a key: the service's settings decide which. */
export const withKey = [{}, { key: [] }]

export function operation({ tag, ...about }: About) {
  return { ...about, tags: [tag] }
}

export function answered(type: string, schema: JsonSchema) {
  return { description: 'The answer.', headers: { ...idHeader }, content: { [type]: { schema } } }
}

export function parameter(name: string, description: string, example: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example }
}
