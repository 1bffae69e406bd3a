/** Every route as the document shows it. */
import type { Example } from '../examples.ts'
import { tellingTypes } from '../http/telling.ts'
import { type ComponentName, type JsonSchema, schemaReference } from './components.ts'
import { errorReferences, idHeader } from './responses.ts'

type Tag = 'plans' | 'catalogue' | 'service'

interface About {
  readonly operationId: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
}

export function operations(examples: readonly Example[]) {
  const posted = (
    path: string,
    request: ComponentName,
    answer: ComponentName,
    about: About,
    launch?: ComponentName,
  ) => ({
    [path]: {
      post: {
        ...operation(about),
        security: withKey,
        parameters: [ifNoneMatch, ...(fielded.includes(path) ? [fieldsParameter] : [])],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: eitherOf(request, launch), examples: examplesOf(path, examples) },
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
    ...posted('/evaluate', 'EvaluateRequest', 'EvaluateResponse', evaluate, 'EvaluateLaunchRequest'),
    '/validate': validated(examples),
    ...posted('/calibrate', 'CalibrateRequest', 'CalibrateResponse', calibrate),
    ...posted('/compare', 'CompareRequest', 'CompareResponse', compare),
    ...posted('/collectives', 'CollectiveRequest', 'CollectiveResponse', collective),
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
    ...texts,
  }
}

/** Of what is asked with a body. */
const askedErrors = [
  'invalid-request',
  'unauthorized',
  'unchanged',
  'body-too-large',
  'unsupported-media-type',
  'impossible-combination',
  'too-many-requests',
  'internal-error',
  'draining',
  'timed-out',
] as const

const optimize: About = {
  operationId: 'optimize',
  tag: 'plans',
  summary: 'The best ways to lay a model out, ranked',
  description:
    'Searches all meshes and placements of the chips, and answers the best `top` of them with predicted step time, ' +
    'MFU, memory, collectives and launch flags. A request that nothing fits is no error: `plans` is empty then and ' +
    '`infeasible` says why.\n\n' +
    'The mode of the workload says what is to be run. `train`: one global step. `prefill`: prompts through the model ' +
    'once, each plan with its time to first token. `generate`: one token for each of a batch of sequences, and with the ' +
    'plans `pareto`, latency against cost over all batches. `serve`: deployments of both phases for requests that ' +
    'arrive at a rate, the cheapest first. Answers repeat the mode, which tells what kind of plan they have.',
}

const evaluate: About = {
  operationId: 'evaluate',
  tag: 'plans',
  summary: 'What one given plan costs',
  description:
    'A plan that is legal and does not fit is answered with `feasible: false` and all its numbers; one that no ' +
    'framework could run is a 422 whose `errors` point at it. In prefill and generation a plan may name layouts of the ' +
    'components; those that it leaves out are chosen. In place of a plan there may be what launches it: `{"megatron": "torchrun …"}`, or a config, `{"torchtitan": "<toml>"}`.',
}

const compare: About = {
  operationId: 'compare',
  tag: 'plans',
  summary: 'Plans or requests side by side, and why one takes longer',
  description:
    'Two to eight variants of a request: with a `plan`, or a launch file, it is costed as /evaluate does; without one the best plan is found as ' +
    '/optimize does. Each is compared with the first: step time, memory and cost, and the difference of the steps shared out over the lines of ' +
    '`timeSeconds`, which add up to it.',
}

const validate: About = {
  operationId: 'validate',
  tag: 'plans',
  summary: 'Is a plan fit to be launched? For CI',
  description:
    'Holds a plan to the rules of what can be run, to the memory budget and to what `require` asks: a check each, with ' +
    'what was expected, what is, and the nearest changes that would do. 200 either way; with `?failWith=422` a check ' +
    'that fails is a 422, so that `curl --fail` fails the job. `Accept` asks for JUnit XML, SARIF 2.1.0 or a table, plain or in Markdown.',
}

function eitherOf(request: ComponentName, launch: ComponentName | undefined): JsonSchema {
  const schema = schemaReference(request)
  return launch ? { anyOf: [schema, schemaReference(launch)] } : schema
}

/** One of the answers is also a status; and there are reports besides JSON. */
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
          description: 'The status where a check fails.',
          schema: { type: 'integer', enum: [422] },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: eitherOf('ValidateRequest', 'ValidateLaunchRequest'),
            examples: examplesOf('/validate', examples),
          },
        },
      },
      responses: {
        200: told,
        ...errorReferences(...askedErrors),
        422: {
          ...told,
          description: 'The checks, one of which fails; or what of the request makes no sense.',
          content: { ...told.content, 'application/problem+json': problem },
        },
      },
    },
  }
}

const calibrate: About = {
  operationId: 'calibrate',
  tag: 'plans',
  summary: 'Constants set on your own measured runs',
  description:
    'Takes a few runs of training as /evaluate takes them, each with the step that was measured, and sets one to three of the ' +
    'constants that they are costed with: the most likely ones, held to what is assumed, with errors that one run cannot upset. Answers the `assumptions` to send ' +
    'along, the error before and after and of runs that were left out, and which run does not fit the others.',
}

const collective: About = {
  operationId: 'collective',
  tag: 'plans',
  summary: 'The time of one collective',
}

const texts = {
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

/** As JSON, or as a text that `Accept` asks for. */
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

/** Whose answers may be told in part. */
const fielded = ['/optimize', '/evaluate', '/compare']

const fieldsParameter = {
  name: 'fields',
  in: 'query',
  required: false,
  description:
    'Of the answer these fields alone, dotted through lists and parted by commas: `plans.summary,plans.stepTimeSeconds`. The answer then has no more than these.',
  schema: { type: 'string', maxLength: 2000 },
}

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'Tags of answers that one has: a 412 where the answer would be one of these.',
  schema: { type: 'string' },
}

const keptHeaders = {
  etag: {
    description:
      'The same for the same request to the same build, whatever its `timeoutMs`; none where time cut the answer.',
    schema: { type: 'string' },
  },
  'cache-status': {
    description:
      'RFC 9211: `hit` for an answer kept from before, `collapsed` where others asked the same at the same time.',
    schema: { type: 'string' },
  },
}

/** Without a key, or with one: which it is the service's settings say. */
const withKey = [{}, { key: [] }]

function operation({ tag, ...about }: About) {
  return { ...about, tags: [tag] }
}

function answered(type: string, schema: JsonSchema, more: JsonSchema = {}) {
  return { description: 'The answer.', headers: { ...idHeader, ...more }, content: { [type]: { schema } } }
}

function listed(answer: ComponentName, about: About) {
  return {
    get: {
      ...operation(about),
      security: withKey,
      responses: {
        200: answered('application/json', schemaReference(answer)),
        ...errorReferences('invalid-request', 'unauthorized', 'too-many-requests', 'draining'),
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
        ...errorReferences('invalid-request', 'unauthorized', 'not-found', 'too-many-requests', 'draining'),
      },
    },
  }
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

function parameter(name: string, description: string, example: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example }
}

function examplesOf(path: string, examples: readonly Example[]) {
  const here = examples.filter(({ route }) => route === path)
  return Object.fromEntries(here.map(({ name, summary, body }) => [name, { summary, value: body }]))
}
