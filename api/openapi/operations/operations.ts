/** All routes as the OpenAPI document has them. */
import type { Example } from '../../examples.ts'
import { catalogue } from './catalogue.ts'
import { plans } from './plans.ts'
import { service } from './service.ts'

export function operations(examples: readonly Example[]) {
  return { ...plans(examples), ...catalogue, ...service }
}
