/** Operations that take a body: plans, and what they cost. */
import type { Example } from '../../examples.ts'
import { tellingTypes } from '../../http/telling.ts'
import { type ComponentName, type JsonSchema, schemaReference } from '../components.ts'
import { errorReferences, idHeader } from '../responses.ts'
import { type About, operation, withKey } from './operation.ts'
import { calibrate, collective, compare, evaluate, optimize, validate } from './plans-about.ts'

type Requests = readonly [ComponentName, ...ComponentName[]]

interface Posted {
  readonly about: About
  /** The schemas that a body may have. */
  readonly requests: Requests
  /** Parameters besides the entity tag. */
  readonly parameters?: readonly JsonSchema[]
  readonly responses?: JsonSchema
}

export function plans(examples: readonly Example[]) {
  const posted = (
    path: string,
    answer: ComponentName,
    { about, requests, parameters = [], responses = {} }: Posted,
  ) => ({
    [path]: {
      post: {
        ...operation(about),
        security: withKey,
        parameters: [ifNoneMatch, ...parameters],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: eitherOf(requests), examples: examplesOf(path, examples) },
          },
        },
        responses: { 200: told(answer), ...errorReferences(...askedErrors), ...responses },
      },
    },
  })
  const parameters = [fieldsParameter]
  return {
    ...posted('/optimize', 'OptimizeResponse', {
      about: optimize,
      requests: ['OptimizeRequest'],
      parameters,
    }),
    ...posted('/evaluate', 'EvaluateResponse', {
      ...{ about: evaluate, parameters },
      requests: ['EvaluateRequest', 'EvaluateServeRequest', 'EvaluateLaunchRequest'],
    }),
    ...posted('/validate', 'ValidateResponse', {
      ...{ about: validate, parameters: [failWith], responses: checkResponses() },
      requests: ['ValidateRequest', 'ValidateServeRequest', 'ValidateLaunchRequest'],
    }),
    ...posted('/calibrate', 'CalibrateResponse', { about: calibrate, requests: ['CalibrateRequest'] }),
    ...posted('/compare', 'CompareResponse', { about: compare, requests: ['CompareRequest'], parameters }),
    ...posted('/collectives', 'CollectiveResponse', { about: collective, requests: ['CollectiveRequest'] }),
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

function eitherOf([first, ...others]: Requests): JsonSchema {
  const schema = schemaReference(first)
  return others.length > 0 ? { anyOf: [schema, ...others.map(schemaReference)] } : schema
}

const asText = { schema: { type: 'string' } }

const texts: JsonSchema = Object.fromEntries(
  tellingTypes.filter((type) => type !== 'application/json').map((type) => [type, asText]),
)

/** The answer as JSON, or as a text that `Accept` asks for. */
function told(answer: ComponentName, description = 'The answer.', others = texts) {
  const json = { schema: schemaReference(answer) }
  const headers = { ...idHeader, ...keptHeaders }
  return { description, headers, content: { 'application/json': json, ...others } }
}

/** /validate has a second status for its answer, and more formats. */
function checkResponses() {
  const forPrograms = {
    'application/xml': asText,
    'application/sarif+json': { schema: { type: 'object' } },
  }
  const checks = told('ValidateResponse', 'The checks.', { ...forPrograms, ...texts })
  const problem = { 'application/problem+json': { schema: schemaReference('Problem') } }
  const description =
    'The checks, at least one of which fails; or a problem document, if the request makes no sense, which JUnit and SARIF have as failed checks.'
  const refused = {
    description:
      'A problem document: the request does not match the schema. JUnit and SARIF have it as failed checks.',
    headers: idHeader,
    content: { ...forPrograms, ...problem },
  }
  return {
    200: checks,
    400: refused,
    422: { ...checks, description, content: { ...checks.content, ...problem } },
  }
}

const failWith = {
  name: 'failWith',
  in: 'query',
  required: false,
  description: 'Status of the answer if a check fails; 200 by default.',
  schema: { type: 'integer', enum: [422] },
}

const fieldsParameter = {
  name: 'fields',
  in: 'query',
  required: false,
  description:
    'Return only these fields: dotted names, also through lists, separated by commas: `plans.summary,plans.stepTimeSeconds`. Written several times, all of them count.',
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
      'Entity tag: the same for the same request to the same build, whatever its `timeoutMs`, whose answers may differ in the times of their search (`elapsedMs`, `waitedMs`). Absent where the search ran out of time.',
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
