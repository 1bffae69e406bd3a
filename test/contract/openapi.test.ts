import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadExamples } from '../../api/examples.ts'
import { openApiDocument } from '../../api/openapi/document.ts'
import { openApiYaml } from '../../api/openapi/yaml.ts'
import { service } from '../http/service.ts'

const checkedIn = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
const document = openApiDocument(loadExamples())

interface Described {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Described>>
  readonly items?: Described
  readonly anyOf?: readonly Described[]
}

/** Fields, however deep, that nothing is said of. */
function undescribed({ properties = {}, items, anyOf = [] }: Described, path: string): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description || field.$ref ? [] : [`${path}.${name}`]),
    ...undescribed(field, `${path}.${name}`),
  ])
  const inside = [...anyOf, ...(items ? [items] : [])].flatMap((part) => undescribed(part, path))
  return [...own, ...inside]
}

describe('openapi.yaml', () => {
  it('is what the schemas make (npm run openapi writes it)', () => {
    expect(checkedIn).toBe(openApiYaml(document))
  })

  it('is the same to parsers of YAML 1.1, as many are', () => {
    expect(parse(checkedIn, { version: '1.1' })).toEqual(parse(checkedIn))
    // To some of them a number without a point is a text.
    expect(checkedIn).not.toMatch(/[:-] -?\d+e[-+]?\d+$/m)
  })

  it('is what the service answers, as YAML and as JSON', async () => {
    const yaml = await service().get('/openapi.yaml').buffer(true)
    expect(yaml.status).toBe(200)
    expect(yaml.text).toBe(checkedIn)
    const json = await service().get('/openapi.json')
    expect(json.body).toEqual(parse(checkedIn))
  })

  it.each(['/openapi.json', '/openapi.yaml'])('%s is compressed where that is asked for', async (path) => {
    const { headers } = await service().get(path).set('accept-encoding', 'br')
    expect(headers['content-encoding']).toBe('br')
    expect(headers.vary).toMatch(/accept-encoding/i)
  })

  it.each([
    '/models/{name}',
    '/hardware/{name}',
    '/stacks/{name}',
    '/problems/{slug}',
  ] as const)('shows a name at %s that is there', async (path) => {
    const [parameter] = parse(checkedIn).paths[path].get.parameters
    const { status } = await service().get(path.replace(/\{.*\}/, parameter.example))
    expect(status).toBe(200)
  })

  it('gives every operation an id, a tag, and an error', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { tags, responses } of operations) {
      expect(tags).toHaveLength(1)
      expect(Object.keys(responses).some((status) => status.startsWith('4'))).toBe(true)
    }
  })

  it('has an example for each route that takes a body', () => {
    const routes = new Set(loadExamples().map(({ route }) => route))
    expect([...routes].sort()).toEqual([
      '/calibrate',
      '/collectives',
      '/compare',
      '/evaluate',
      '/optimize',
      '/validate',
    ])
  })

  it.each([
    ...['Plan', 'InferencePlan', 'PhasePlan', 'ServePlan', 'InferenceAnswer', 'ServeAnswer'],
    ...['TrainingEvaluation', 'InferenceEvaluation', 'ServeEvaluation', 'CalibrateResponse'],
    ...['TrainingValidation', 'InferenceValidation', 'ServeValidation', 'CollectiveResponse'],
    ...['StepComparison', 'ServeComparison', 'Problem'],
  ])('describes each field of a %s', (name) => {
    expect(undescribed(document.components.schemas[name] as Described, name)).toEqual([])
  })

  it('bounds every number that a request may have', () => {
    const { CollectiveRequest, EvaluateRequest, OptimizeRequest, ...parts } = document.components.schemas
    const requests = [
      'AssumptionsRequest',
      'Constraints',
      'HardwareRequest',
      'ModelRequest',
      'PlanSketch',
      'TrainWorkload',
      'PrefillWorkload',
      'GenerateWorkload',
      'ServeWorkload',
      'Speculative',
    ]
    const schemas = [
      CollectiveRequest,
      EvaluateRequest,
      OptimizeRequest,
      ...requests.map((name) => parts[name]),
    ]
    const numbers = schemas
      .flatMap((schema) => [...numbersIn(schema)])
      .filter((number) => !('const' in number))
    expect(numbers.length).toBeGreaterThan(50)
    for (const number of numbers) {
      expect(number).toHaveProperty('maximum')
      expect(number).toHaveProperty('minimum')
      expect(Number(number.maximum)).toBeLessThan(1e22)
    }
  })
})

type Schema = Readonly<Record<string, unknown>>

function* numbersIn(schema: unknown): Generator<Schema> {
  if (typeof schema !== 'object' || schema === null) return
  const { type } = schema as Schema
  if ([type].flat().some((name) => name === 'number' || name === 'integer')) yield schema as Schema
  for (const child of Object.values(schema)) yield* numbersIn(child)
}
