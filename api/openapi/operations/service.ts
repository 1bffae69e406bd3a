/** Operations for probes, metrics and documents. */
import type { JsonSchema } from '../components.ts'
import { errorReferences, idHeader } from '../responses.ts'
import { type About, answered, operation, parameter, withKey } from './operation.ts'

export const service = {
  '/healthz': probed({ operationId: 'health', tag: 'service', summary: 'Does the process answer?' }),
  '/readyz': probed({ operationId: 'readiness', tag: 'service', summary: 'Does it take work?' }, true),
  '/metrics': {
    get: {
      ...operation({
        operationId: 'metrics',
        tag: 'service',
        summary: "Metrics in Prometheus' text format",
        description: 'Not here where METRICS_PORT says so.',
      }),
      security: withKey,
      responses: {
        200: answered('text/plain', { type: 'string' }),
        ...errorReferences('invalid-request', 'unauthorized', 'not-found'),
      },
    },
  },
  '/openapi.json': document('openApiJson', 'This document as JSON', 'application/json', { type: 'object' }),
  '/openapi.yaml': document('openApiYaml', 'This document as YAML', 'application/yaml', { type: 'string' }),
  '/docs': document('docs', 'This document to read and to try', 'text/html', { type: 'string' }),
  '/problems/{slug}': {
    get: {
      ...operation({ operationId: 'problem', tag: 'service', summary: 'What a kind of error means' }),
      parameters: [parameter('slug', 'The last part of the `type` of an error.', 'timed-out')],
      responses: {
        200: {
          description: 'As JSON, or as a page.',
          headers: idHeader,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['type', 'title', 'status', 'help'],
                properties: {
                  type: { type: 'string' },
                  title: { type: 'string' },
                  status: { type: 'integer' },
                  help: { type: 'string' },
                },
              },
            },
            'text/html': { schema: { type: 'string' } },
          },
        },
        ...errorReferences('invalid-request', 'not-found', 'too-many-requests', 'draining'),
      },
    },
  },
}

function probed(about: About, drains = false) {
  const status = { type: 'object', required: ['status'], properties: { status: { type: 'string' } } }
  return {
    get: {
      ...operation(about),
      responses: {
        200: answered('application/json', status),
        ...errorReferences('invalid-request', ...(drains ? (['draining'] as const) : [])),
      },
    },
  }
}

function document(operationId: string, summary: string, type: string, schema: JsonSchema) {
  return {
    get: {
      ...operation({ operationId, tag: 'service', summary }),
      responses: {
        200: answered(type, schema),
        ...errorReferences('invalid-request', 'too-many-requests', 'draining'),
      },
    },
  }
}
