/** Operations on the catalogue. */
import { type ComponentName, schemaReference } from '../components.ts'
import { errorReferences } from '../responses.ts'
import { type About, answered, operation, parameter, withKey } from './operation.ts'

export const catalogue = {
  '/models': listed('ModelList', {
    operationId: 'listModels',
    tag: 'catalogue',
    summary: 'The models that are known by name',
  }),
  '/models/{name}': named('Model', {
    operationId: 'readModel',
    tag: 'catalogue',
    summary: 'One model, each number with its source',
  }),
  '/hardware': listed('ChipList', {
    operationId: 'listHardware',
    tag: 'catalogue',
    summary: 'The chips that are known by name',
  }),
  '/hardware/{name}': named('Chip', {
    operationId: 'readHardware',
    tag: 'catalogue',
    summary: 'One chip and its system, each number with its source',
  }),
  '/stacks': listed('StackList', {
    operationId: 'listStacks',
    tag: 'catalogue',
    summary: 'What trains, as far as published runs tell',
    description: 'A request names one in `assumptions.stack`.',
  }),
  '/stacks/{name}': named('Stack', {
    operationId: 'readStack',
    tag: 'catalogue',
    summary: 'One stack, and the rows behind each number',
  }),
}

function listed(answer: ComponentName, about: About) {
  return {
    get: {
      ...operation(about),
      security: withKey,
      responses: {
        200: answered('application/json', schemaReference(answer)),
        ...errorReferences(
          'invalid-request',
          'unauthorized',
          'not-acceptable',
          'too-many-requests',
          'draining',
        ),
      },
    },
  }
}

function named(answer: ComponentName, about: About) {
  return {
    get: {
      ...operation(about),
      security: withKey,
      parameters: [
        parameter('name', 'A name as in the list.', answer === 'Model' ? 'llama-3-70b' : 'tpu-v5p'),
      ],
      responses: {
        200: answered('application/json', schemaReference(answer)),
        ...errorReferences(
          'invalid-request',
          'unauthorized',
          'not-found',
          'not-acceptable',
          'too-many-requests',
          'draining',
        ),
      },
    },
  }
}
