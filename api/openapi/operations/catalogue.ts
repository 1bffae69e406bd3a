/** Operations on the catalogue. */
import type { ProblemSlug } from '../../problems.ts'
import { type ComponentName, type JsonSchema, schemaReference } from '../components.ts'
import { errorReferences } from '../responses.ts'
import { type About, answered, operation, parameter, withKey } from './operation.ts'

const listErrors = [
  'invalid-request',
  'unauthorized',
  'not-acceptable',
  'too-many-requests',
  'draining',
] as const

export const catalogue = {
  '/models': listed('ModelList', {
    operationId: 'listModels',
    tag: 'catalogue',
    summary: 'List the models that are known by name',
  }),
  '/models/{name}': named('Model', 'llama-3-70b', {
    operationId: 'readModel',
    tag: 'catalogue',
    summary: 'Read one model, each number with its source',
  }),
  '/hardware': listed('ChipList', {
    operationId: 'listHardware',
    tag: 'catalogue',
    summary: 'List the chips that are known by name',
  }),
  '/hardware/{name}': named('Chip', 'tpu-v5p', {
    operationId: 'readHardware',
    tag: 'catalogue',
    summary: 'Read one chip and its system, each number with its source',
  }),
  '/stacks': listed('StackList', {
    operationId: 'listStacks',
    tag: 'catalogue',
    summary: 'List the software stacks with constants fitted on published runs',
    description:
      'A stack is software for training or inference on some chips. Name one in `assumptions.stack`.',
  }),
  '/stacks/{name}': named('Stack', 'megatron-core-hopper', {
    operationId: 'readStack',
    tag: 'catalogue',
    summary: 'Read one stack, and the measured runs behind its constants',
  }),
}

function listed(answer: ComponentName, about: About) {
  return reading(answer, about, listErrors)
}

function named(answer: ComponentName, example: string, about: About) {
  const parameters = [parameter('name', 'A name from the list.', example)]
  return reading(answer, about, [...listErrors, 'not-found'], { parameters })
}

function reading(answer: ComponentName, about: About, errors: readonly ProblemSlug[], more: JsonSchema = {}) {
  const responses = {
    200: answered('application/json', schemaReference(answer)),
    ...errorReferences(...errors),
  }
  return { get: { ...operation(about), security: withKey, ...more, responses } }
}
