/** Operations that take a body: plans, and what they cost. */
import type { Example } from '../../examples.ts'
import { tellingTypes } from '../../http/telling.ts'
import { type ComponentName, type JsonSchema, schemaReference } from '../components.ts'
import { errorReferences, idHeader } from '../responses.ts'
import { type About, operation, withKey } from './operation.ts'
import { calibrate, collective, compare, evaluate, optimize, validate } from './plans-about.ts'

export function plans(examples: readonly Example[]) {
  const posted = (
    path: string,
    request: ComponentName,
    answer: ComponentName,
    about: About,
    others: readonly ComponentName[] = [],
  ) => ({
    [path]: {
      post: {
        ...operation(about),
        security: withKey,
        parameters: [ifNoneMatch, ...(fielded.includes(path) ? [fieldsParameter] : [])],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: eitherOf(request, others), examples: examplesOf(path, examples) },
          },
        },
        responses: {
          200: told(schemaReference(answer)),
          ...errorReferences(...askedErrors),
        },
      },
    },
  })
  return {
    ...posted('/optimize', 'OptimizeRequest', 'OptimizeResponse', optimize),
    ...posted('/evaluate', 'EvaluateRequest', 'EvaluateResponse', evaluate, [
      'EvaluateServeRequest',
      'EvaluateLaunchRequest',
    ]),
    '/validate': validated(examples),
    ...posted('/calibrate', 'CalibrateRequest', 'CalibrateResponse', calibrate),
    ...posted('/compare', 'CompareRequest', 'CompareResponse', compare),
    ...posted('/collectives', 'CollectiveRequest', 'CollectiveResponse', collective),
  }
}

/** Errors of operations that take a body. */
const askedErrors = [
  'invalid-request',
  'unauthorized',
  'not-acceptable',
  'unchanged',
  'body-too-large',
  'unsupported-media-type',
  'impossible-combination',
  'too-many-requests',
  'internal-error',
  'draining',
  'timed-out',
] as const

function eitherOf(request: ComponentName, others: readonly ComponentName[]): JsonSchema {
  const schema = schemaReference(request)
  return others.length > 0 ? { anyOf: [schema, ...others.map(schemaReference)] } : schema
}

/** /validate has a second status for its answer, and more formats than JSON. */
function validated(examples: readonly Example[]) {
  const [answer, report] = [schemaReference('ValidateResponse'), { type: 'string' }]
  const told = {
    description: 'The checks.',
    headers: { ...idHeader, ...keptHeaders },
    content: {
      'application/json': { schema: answer },
      'application/xml': { schema: report },
      'application/sarif+json': { schema: { type: 'object' } },
      'text/plain': { schema: report },
      'text/markdown': { schema: report },
      'text/csv': { schema: report },
    },
  }
  const problem = { schema: schemaReference('Problem') }
  return {
    post: {
      ...operation(validate),
      security: withKey,
      parameters: [
        ifNoneMatch,
        {
          name: 'failWith',
          in: 'query',
          required: false,
          description: 'Status of the answer if a check fails; 200 by default.',
          schema: { type: 'integer', enum: [422] },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: eitherOf('ValidateRequest', ['ValidateServeRequest', 'ValidateLaunchRequest']),
            examples: examplesOf('/validate', examples),
          },
        },
      },
      responses: {
        200: told,
        ...errorReferences(...askedErrors),
        422: {
          ...told,
          description:
            'The checks, at least one of which fails; or a problem document, if the request makes no sense.',
          content: { ...told.content, 'application/problem+json': problem },
        },
      },
    },
  }
}

/** The answer as JSON, or as a text that `Accept` asks for. */
function told(answer: JsonSchema) {
  const texts = tellingTypes.filter((type) => type !== 'application/json')
  return {
    description: 'The answer.',
    headers: { ...idHeader, ...keptHeaders },
    content: {
      'application/json': { schema: answer },
      ...Object.fromEntries(texts.map((type) => [type, { schema: { type: 'string' } }])),
    },
  }
}

/** Paths whose answers can be restricted to some fields. */
const fielded = ['/optimize', '/evaluate', '/compare']

const fieldsParameter = {
  name: 'fields',
  in: 'query',
  required: false,
  description:
    'Return only these fields: dotted names, also through lists, separated by commas: `plans.summary,plans.stepTimeSeconds`.',
  schema: { type: 'string', maxLength: 2000 },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'Entity tags that the client already has; the status is 412 if the answer would have one of them.',
  schema: { type: 'string' },
}

const keptHeaders = {
  etag: {
    description:
      'Entity tag: the same for the same request to the same build, whatever its `timeoutMs`. Absent where the search ran out of time.',
    schema: { type: 'string' },
  },
  'cache-status': {
    description:
      'RFC 9211: `hit` if the answer was cached, `collapsed` if it was computed for another request at the same time.',
    schema: { type: 'string' },
  },
}

function examplesOf(path: string, examples: readonly Example[]) {
  const here = examples.filter(({ route }) => route === path)
  return Object.fromEntries(here.map(({ name, summary, body }) => [name, { summary, value: body }]))
}
