/** The contract as OpenAPI 3.1, made from the schemas that requests are validated with. */

import { rememberedOf } from '../../src/known.ts'
import type { Example } from '../examples.ts'
import { version } from '../version.ts'
import { componentSchemas } from './components.ts'
import { operations } from './operations/operations.ts'
import { errorComponents } from './responses.ts'

export type OpenApiDocument = ReturnType<typeof documentWith>

/** Made once for the same examples, as it takes longer than all else of an app but its YAML. */
export const openApiDocument = rememberedOf(documentWith)

function documentWith(examples: readonly Example[]) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'shardplan',
      version: version(),
      summary: 'Ranked sharding layouts for training and serving Transformers, and how fast each will run.',
      description:
        'Given a Transformer, chips, a batch and a memory budget: how should every array be laid out, and how fast ' +
        'will it run? All numbers are in SI units, with the unit as suffix of the field name. Unknown keys are rejected. Errors are ' +
        '`application/problem+json` (RFC 9457), with JSON pointers into the request. A method that a path does not ' +
        'support is answered with 405 and `Allow`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    security: [],
    tags: [
      { name: 'plans', description: 'Layouts, their step time, memory and cost.' },
      { name: 'catalogue', description: 'Models, chips and software stacks, each number with its source.' },
      { name: 'service', description: 'Health checks, metrics and documentation.' },
    ],
    paths: operations(examples),
    components: {
      schemas: componentSchemas(),
      responses: errorComponents(),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'Only where the service is set up to ask for keys.',
        },
      },
    },
  }
}
