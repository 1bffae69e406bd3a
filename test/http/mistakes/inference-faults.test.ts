import { describe, expect, it } from 'vitest'
import { question, service } from '../service.ts'

const prefill = { mode: 'prefill', promptLength: 2048, batchSequences: 4 }
const generate = { mode: 'generate', contextLength: 8192, batchSequences: 'max' }
const serve = { mode: 'serve', promptLength: 1024, outputLength: 256 }
const draft = { draftModel: 'llama-3.2-1b', acceptance: 0.8 }

async function faults(change: object, expected: number) {
  const path = 'plan' in change ? '/evaluate' : '/optimize'
  const { status, body, text } = await service()
    .post(path)
    .send({ ...question, ...change })
  expect(status, text.slice(0, 500)).toBe(expected)
  return body
}

describe('a schema violation in a workload', () => {
  it.each([
    ['maxTimeToFirstTokenSeconds', 0],
    ['maxTimePerOutputTokenSeconds', -1],
  ])('of a limit on time does not propose the least that is taken: %s', async (name, value) => {
    const { errors } = await faults({ workload: { ...serve, [name]: value } }, 400)
    expect(errors[0]).toEqual({
      pointer: `/workload/${name}`,
      detail: expect.stringMatching(/>=1e-9$/),
    })
  })

  it.each([
    [
      { mode: 'generat' },
      '/workload/mode',
      'is none of train, prefill, generate, serve; did you mean generate?',
    ],
    [{}, '/workload/mode', 'is required: one of train, prefill, generate, serve'],
    [{ mode: 7 }, '/workload/mode', 'is none of train, prefill, generate, serve'],
    [
      { ...generate, batchTokens: 4096 },
      '/workload/batchTokens',
      'is a key of mode train, not of mode generate',
    ],
    [
      { ...generate, promptLength: 4096 },
      '/workload/promptLength',
      'is a key of mode prefill and mode serve, not of mode generate',
    ],
    [
      { ...generate, contextLenght: 1 },
      '/workload/contextLenght',
      'is not a known key; did you mean contextLength?',
    ],
    [{ ...generate, batchSequences: 'most' }, '/workload/batchSequences', '"max"'],
    [{ ...generate, batchSequences: 0 }, '/workload/batchSequences', '>=1'],
    [{ ...generate, batchSequences: 1e9 }, '/workload/batchSequences', 'times contextLength may be at most'],
    [{ ...prefill, batchSequences: 'max' }, '/workload/batchSequences', 'expected number, received string'],
    [{ ...prefill, batchSequences: 1e12 }, '/workload/batchSequences', 'times promptLength may be at most'],
    [{ ...generate, maxStepSeconds: 0 }, '/workload/maxStepSeconds', '>='],
    [{ ...serve, disaggregated: 'yes' }, '/workload/disaggregated', 'true, false or "auto"'],
    [{ ...serve, requestsPerSecond: -1 }, '/workload/requestsPerSecond', '>='],
    [{ mode: 'serve', promptLength: 1024 }, '/workload/outputLength', 'is required'],
    [
      { ...generate, speculative: { acceptance: 0.5 } },
      '/workload/speculative',
      'needs exactly one of draftModel and draftCostRatio',
    ],
    [
      { ...generate, speculative: { ...draft, draftCostRatio: 0.1 } },
      '/workload/speculative',
      'needs exactly one of draftModel and draftCostRatio',
    ],
    [
      { ...generate, speculative: { ...draft, acceptance: 1.1 } },
      '/workload/speculative/acceptance',
      'is a fraction: at most 1',
    ],
    [
      { ...serve, speculative: draft },
      '/workload/speculative/tokens',
      'is required: a whole number: Tokens drafted per step, as servers are told once for all batches',
    ],
    [
      { ...serve, speculative: { ...draft, tokens: 2, draftCostRatio: 0.1 } },
      '/workload/speculative',
      'needs exactly one of draftModel and draftCostRatio',
    ],
  ])('%j is a 400 that points at %s', async (workload, pointer, detail) => {
    const { errors } = await faults({ workload }, 400)
    expect(errors[0].pointer).toBe(pointer)
    expect(errors[0].detail).toContain(detail)
  })

  it.each([
    [{ attention: '1d/head' }, '/plan/layout/attention', 'did you mean 1d/heads?'],
    [{ mlp: 'gathered-al' }, '/plan/layout/mlp', 'did you mean gathered-all?'],
    [{ mlpp: '1d' }, '/plan/layout/mlpp', 'did you mean mlp?'],
  ])('a layout of %j is a 400 that points at %s', async (layout, pointer, detail) => {
    const { errors } = await faults({ workload: generate, plan: { mesh: { tensor: 64 }, layout } }, 400)
    expect(errors[0].pointer).toBe(pointer)
    expect(errors[0].detail).toContain(detail)
  })
})

describe('a combination that makes no sense in inference', () => {
  it.each([
    [
      { workload: { ...prefill, cachedPrefixLength: 2048 } },
      '/workload/cachedPrefixLength',
      'at most 2047 can be cached',
    ],
    [
      { workload: { ...serve, cachedPrefixLength: 4096 } },
      '/workload/cachedPrefixLength',
      'leaves nothing to compute',
    ],
    [
      { workload: { ...generate, meanContextLength: 8193 } },
      '/workload/meanContextLength',
      'more than the contextLength of 8192',
    ],
    [{ workload: prefill, constraints: { zeroStage: 1 } }, '/constraints/zeroStage', 'in mode prefill'],
    [{ workload: generate, constraints: { microbatches: 2 } }, '/constraints/microbatches', 'mode generate'],
    [{ workload: serve, constraints: { virtualStages: 2 } }, '/constraints/virtualStages', 'in mode serve'],
    [
      { workload: generate, constraints: { fsdp: { min: 2 } } },
      '/constraints/fsdp',
      'is always 1 in mode generate',
    ],
    [
      { workload: generate, constraints: { context: [2, 4] } },
      '/constraints/context',
      'is always 1 in mode generate',
    ],
    [
      { workload: generate, plan: { mesh: { tensor: 64 }, zeroStage: 1 } },
      '/plan/zeroStage',
      'has no part in mode generate',
    ],
    [
      { workload: prefill, plan: { mesh: { tensor: 64 }, rematerialization: 'full' } },
      '/plan/rematerialization',
      'has no part in mode prefill',
    ],
    [
      { workload: serve, plan: { generate: { mesh: { tensor: 64 }, zeroStage: 1 } } },
      '/plan/generate/zeroStage',
      'has no part in mode generate',
    ],
    [{ plan: { mesh: { fsdp: 64 }, layout: { mlp: '2d' } } }, '/plan/layout', 'has no part in mode train'],
    [{ workload: generate, precision: { compute: 'int4' } }, '/precision/compute', 'it does in'],
    [
      { workload: { ...generate, speculative: { ...draft, draftModel: 'llama-3-70b' } } },
      '/workload/speculative/draftModel',
      'a draft has to be the smaller',
    ],
    [
      {
        workload: {
          ...generate,
          speculative: { draftModel: { layers: 2, dModel: 64, dFf: 64, heads: 7, vocab: 99 }, acceptance: 1 },
        },
      },
      '/workload/speculative/draftModel/headDim',
      'is required',
    ],
  ])('%j is a 422 that points at %s', async (change, pointer, detail) => {
    const body = await faults(change, 422)
    expect(body.type).toBe('/problems/impossible-combination')
    expect(body.errors[0].pointer).toBe(pointer)
    expect(body.errors[0].detail).toContain(detail)
    expect(body.detail).toContain(pointer)
  })

  it('names all that does not belong to the mode, not only the first', async () => {
    const constraints = { zeroStage: 3, microbatches: 4, fsdp: 8 }
    const { errors } = await faults({ workload: prefill, constraints }, 422)
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/constraints/zeroStage',
      '/constraints/microbatches',
      '/constraints/fsdp',
    ])
  })

  it('is also a draft of an unknown name, with the nearest', async () => {
    const speculative = { draftModel: 'llama-3.2-1', acceptance: 0.8 }
    const { type, errors } = await faults({ workload: { ...generate, speculative } }, 422)
    expect(type).toBe('/problems/unknown-name')
    expect(errors[0].pointer).toBe('/workload/speculative/draftModel')
    expect(errors[0].suggestions).toContain('llama-3.2-1b')
  })
})
