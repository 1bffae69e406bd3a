/** Every correction in a hint, when applied, removes its error, whether a key is misspelt or misplaced or a value has the wrong type. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { called } from '../../../api/hints/called/called.ts'
import { explained } from '../../../api/hints/called/explained.ts'
import { changed } from '../../../api/hints/change.ts'
import { plainName } from '../../../api/hints/name.ts'
import { words } from '../../../api/hints/words.ts'
import { type Fault, ProblemError } from '../../../api/problems.ts'
import { collectiveRequest } from '../../../api/schemas/collective.ts'
import { evaluateRequest } from '../../../api/schemas/evaluate.ts'
import { optimizeRequest } from '../../../api/schemas/optimize.ts'
import { validateRequest } from '../../../api/schemas/validate.ts'
import { validated } from '../../../api/validation/request-validation.ts'
import { forAll } from '../../law.ts'

const chip = { chip: 'h100-sxm', chips: 64 }
const architecture = { layers: 2, dModel: 64, dFf: 256, heads: 4, kvHeads: 2, headDim: 16, vocab: 1000 }
const moe = { experts: 8, activeExperts: 2, sharedExperts: 1, dFfExpert: 64, denseLayers: 1 }

const requests: readonly (readonly [z.ZodType, Readonly<Record<string, unknown>>])[] = [
  [
    optimizeRequest,
    {
      model: 'llama-3-8b',
      hardware: { ...chip, network: { scaleOutBytesPerSecondPerChip: 1e11 } },
      workload: {
        mode: 'train',
        batchTokens: 4096,
        sequenceLength: 64,
        optimizer: 'adamw',
        schedule: ['1f1b'],
      },
      memoryBudget: { fraction: 0.5 },
      constraints: {
        tensor: { min: 1, max: 8 },
        pipeline: 1,
        context: [1, 2],
        data: 2,
        expert: 1,
        zeroStage: 1,
      },
      assumptions: { basis: 'book', frameworks: ['megatron'] },
      ...{ objective: 'latency', top: 3, timeoutMs: 100 },
    },
  ],
  [
    optimizeRequest,
    {
      model: { ...architecture, moe, gatedMlp: true, attention: { window: 4 } },
      hardware: {
        chip: 'tpu-v5p',
        topology: [4, 4, 4],
        slices: 2,
        usdPerHour: 2,
        hbmBytes: 8e10,
        nicGbps: 200,
      },
      workload: {
        mode: 'generate',
        ...{ batchSequences: 8, contextLength: 64, meanContextLength: 32, maxStepSeconds: 1 },
        speculative: { draftModel: 'llama-3.2-1b', acceptance: 0.5, tokens: 2 },
      },
      memoryBudget: { bytesPerChip: 1e10 },
      precision: { weights: 'fp8', compute: 'bf16', kvCache: 'int8' },
    },
  ],
  [
    optimizeRequest,
    {
      model: 'llama-3-8b',
      hardware: chip,
      workload: {
        mode: 'serve',
        promptLength: 64,
        outputLength: 8,
        requestsPerSecond: 2,
        disaggregated: true,
      },
    },
  ],
  [
    evaluateRequest,
    {
      model: 'llama-3-8b',
      hardware: chip,
      workload: {
        mode: 'prefill',
        promptLength: 64,
        batchSequences: 2,
        chunkTokens: 8,
        cachedPrefixLength: 1,
      },
      plan: {
        mesh: { data: 2, fsdp: 2, tensor: 2, tensor2: 2, context: 1, expert: 1, pipeline: 4 },
        ...{
          zeroStage: 1,
          microbatches: 2,
          virtualStages: 1,
          pipelineSchedule: '1f1b',
          rematerialization: 'full',
        },
      },
    },
  ],
  [collectiveRequest, { hardware: chip, op: 'AllGather', bytes: 1e6, over: { groupSize: 8 } }],
]

function faultsOf(schema: z.ZodType, body: unknown): readonly Fault[] {
  try {
    validated(schema, body)
    return []
  } catch (error) {
    if (error instanceof ProblemError) return error.faults
    throw error
  }
}

function expectRemoved(schema: z.ZodType, body: unknown): number {
  const faults = faultsOf(schema, body)
  let corrections = 0
  for (const { pointer, detail, correction } of faults) {
    if (!correction) continue
    corrections++
    const left = faultsOf(schema, changed(body, correction))
    const same = left.filter((fault) => fault.pointer === pointer && fault.detail === detail)
    expect(same, JSON.stringify({ body, correction })).toEqual([])
  }
  return corrections
}

interface Spot {
  readonly path: readonly string[]
  readonly key: string
  readonly value: unknown
}

function spots(value: unknown, path: readonly string[] = []): readonly Spot[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { path, key, value: inner },
    ...spots(inner, [...path, key]),
  ])
}

const pointerTo = (path: readonly string[]) => path.map((part) => `/${part}`).join('')

function renamed(body: unknown, { path, key, value }: Spot, name: string): unknown {
  return changed(body, [
    { pointer: pointerTo([...path, key]), value: null },
    { pointer: pointerTo([...path, name]), value },
  ])
}

const everySpot = requests.flatMap(([schema, body]) => spots(body).map((spot) => ({ schema, body, spot })))

describe('a key by another name', () => {
  it.each(Object.keys(called))('%s: every name that it has elsewhere is known for it', (key) => {
    const found = everySpot.filter(({ spot }) => spot.key === key)
    for (const { schema, body, spot } of found) {
      for (const name of called[key] ?? []) {
        const wrong = renamed(body, spot, name)
        const fault = faultsOf(schema, wrong).find(
          ({ pointer }) => pointer === pointerTo([...spot.path, name]),
        )
        // What is no key by that name is another one there; a name with a unit takes its value to bytes.
        if (!fault || /gi?b$|gigabytes$/i.test(name)) continue
        expect(fault.suggestions ?? [], `${name} in ${pointerTo(spot.path)}`).toContain(key)
        expect(changed(wrong, fault.correction ?? []), `${name}: ${fault.detail}`).toEqual(body)
      }
    }
  })

  it('at the top of the request is known where it belongs, and goes there', () => {
    const lifted = everySpot.filter(({ spot }) => spot.path.length === 1)
    forAll(40, [fc.constantFrom(...lifted)], ({ schema, body, spot }) => {
      const pointer = pointerTo([...spot.path, spot.key])
      const wrong = changed(body, [
        { pointer, value: null },
        { pointer: `/${spot.key}`, value: spot.value },
      ])
      const fault = faultsOf(schema, wrong).find((one) => one.pointer === `/${spot.key}`)
      if (fault) expect(fault.correction ?? [], JSON.stringify(fault)).not.toEqual([])
      expectRemoved(schema, wrong)
    })
  })

  it('of requirements is told where they belong', () => {
    const asked = { model: 'llama-3-8b', hardware: chip, workload: { mode: 'train', batchTokens: 4096 } }
    const body = { ...asked, plan: { mesh: { fsdp: 64 } }, require: { minMfu: 0.4 } }
    const told = faultsOf(evaluateRequest, body).find(({ pointer }) => pointer === '/require')
    expect(told?.detail).toMatch(/\/validate alone/)
  })

  it.each([
    ['maxRegret', 'withinOfBest', 0.1],
    ['mfu', 'minMfu', 0.4],
    ['maxStepTime', 'maxStepSeconds', 3],
    ['bottlenecks', 'notBoundBy', ['hbm']],
    ['launchers', 'launchableBy', ['megatron']],
    ['feasible', 'fits', true],
  ])('of requirements is known: %s is %s', (name, key, value) => {
    const asked = { model: 'llama-3-8b', hardware: chip, workload: { mode: 'train', batchTokens: 4096 } }
    const body = { ...asked, plan: { mesh: { fsdp: 64 } }, require: { [name]: value } }
    const told = faultsOf(validateRequest, body).find(({ pointer }) => pointer === `/require/${name}`)
    expect(told?.suggestions).toEqual([key])
  })

  it('stands once in the tables: what is explained is not also meant', () => {
    const names = new Set(explained.flatMap(({ names }) => names.map(plainName)))
    expect(
      Object.values(called)
        .flat()
        .filter((name) => names.has(plainName(name))),
    ).toEqual([])
  })
})

const misspelt = (text: string) =>
  fc
    .nat(Math.max(0, text.length - 2))
    .map((at) => `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`)

const anyWord = fc.constantFrom(...Object.values(words).flat())

/** Other ways in which people write a value. */
function miswritten(value: unknown): fc.Arbitrary<unknown> {
  const others: fc.Arbitrary<unknown>[] = [
    fc.constant(String(value)),
    fc.constant([value]),
    fc.constant({ value }),
    fc.constant(null),
    anyWord,
    fc.constantFrom('8k', '4M', '<=8', '4x4', 'true', '60GB', '90%', 1e99, -1, 0.5, 60, true, [], {}),
  ]
  if (typeof value === 'string') others.push(misspelt(value), fc.constant(value.toUpperCase()))
  if (typeof value === 'number')
    others.push(fc.constant(value * 1e15), fc.constant(-value), fc.constant(value / 3))
  if (Array.isArray(value)) others.push(fc.constant(value[0]), fc.constant(value.join('x')))
  return fc.oneof(...others)
}

it('a value of another type, out of bounds or misspelt, and several at once', () => {
  const spot = fc
    .constantFrom(...everySpot)
    .chain((one) =>
      fc.tuple(fc.constant(one), miswritten(one.spot.value), misspelt(one.spot.key), fc.boolean()),
    )
  let corrections = 0
  forAll(400, [spot, fc.boolean()], ([{ schema, body, spot: at }, value, key, byKey], both) => {
    const pointer = pointerTo([...at.path, at.key])
    const wrong = byKey || both ? renamed(body, at, key) : body
    const worse = byKey ? wrong : changed(wrong, [{ pointer, value: value ?? 'nothing' }])
    corrections += expectRemoved(schema, worse)
  })
  expect(corrections).toBeGreaterThan(100)
})

describe('a type that scales blocks', () => {
  it.each(['mxfp8', 'fp8_mx', 'MXFP8'])('is told to be fp8 where chips take such: %s', (compute) => {
    const body = { ...requests[0]?.[1], precision: { compute } }
    const [fault] = faultsOf(optimizeRequest, body)
    expect(fault).toMatchObject({
      pointer: '/precision/compute',
      detail: expect.stringMatching(/did you mean fp8\? Where matmuls .* fp8 is MXFP8\.$/),
      correction: [{ pointer: '/precision/compute', value: 'fp8' }],
    })
  })
})

it.each([
  [[4.5, 4, 4], '/hardware/topology/0', /expected/],
  [[4, 4, '4'], '/hardware/topology/2', /expected .*did you mean 4\?/],
  [{}, '/hardware/topology', /expected a list or a text/],
])('of a list the item is told that is wrong: %j', (topology, pointer, said) => {
  const body = {
    ...{ model: 'llama-3-8b', hardware: { chip: 'tpu-v5p', topology } },
    workload: { mode: 'train', batchTokens: 65_536, sequenceLength: 4096 },
  }
  const found = () => validated(optimizeRequest, body)
  expect(found).toThrow(ProblemError)
  try {
    found()
  } catch (error) {
    expect((error as ProblemError).faults).toEqual([
      expect.objectContaining({ pointer, detail: expect.stringMatching(said) }),
    ])
  }
})
