/** Operations for probes, metrics and documents. */
import type { JsonSchema } from '../components.ts'
import { errorReferences, idHeader } from '../responses.ts'
import { type About, answered, operation, parameter, withKey } from './operation.ts'

export const service = {
  '/healthz': probed({ operationId: 'health', tag: 'service', summary: 'Is the process alive?' }),
  '/readyz': probed(
    { operationId: 'readiness', tag: 'service', summary: 'Does it accept requests, and answer them soon?' },
    true,
  ),
  '/metrics': {
    get: {
      ...operation({
        operationId: 'metrics',
        tag: 'service',
        summary: "Metrics in Prometheus' text format",
        description: 'Not served on this port if METRICS_PORT says so.',
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
  '/docs': document('docs', 'This document as a page, to read and try out', 'text/html', { type: 'string' }),
  '/problems/{slug}': {
    get: {
      ...operation({ operationId: 'problem', tag: 'service', summary: 'Explain a kind of error' }),
      parameters: [parameter('slug', 'The last part of the `type` of an error.', 'timed-out')],
      responses: {
        200: {
          description: 'The explanation, as JSON or as a page.',
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

function probed(about: About, waits = false) {
  const status = { type: 'object', required: ['status'], properties: { status: { type: 'string' } } }
  return {
    get: {
      ...operation(about),
      responses: {
        200: answered('application/json', status),
        ...errorReferences('invalid-request', ...(waits ? (['warming-up', 'draining'] as const) : [])),
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
