import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { comparison, type Steps } from '../accuracy/inference/comparison.ts'
import { type InferenceRow, publishedInference } from '../accuracy/inference/row.ts'
import { predictedInference } from '../accuracy/inference/run.ts'
import { servedErrors, servedRows } from '../accuracy/inference/served-rows.ts'
import { errorSummaries } from '../accuracy/inference/table.ts'
import { publishedStacks } from '../accuracy/stack-of.ts'
import { rounded } from '../accuracy/summary.ts'
import { median } from '../accuracy/training/run.ts'

const rows = publishedInference()
const catalogue = new URL('../../fixtures/', import.meta.url)

describe('published measurements of inference', () => {
  it('have names of their own', () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
  })

  it('ran on chips of the catalogue, dense ones with its models or an architecture spelled out', () => {
    const unknown = rows.filter(
      ({ chip, model, mixtureOfExperts }) =>
        !existsSync(new URL(`hardware/${chip}.json`, catalogue)) ||
        (typeof model === 'string' &&
          !mixtureOfExperts &&
          !existsSync(new URL(`models/${model}.json`, catalogue))),
    )
    expect(unknown.map(({ id }) => id)).toEqual([])
  })

  it('occupy the chips that their meshes multiply to', () => {
    const off = rows.filter(({ mesh, chips }) => mesh.data * mesh.tensor * mesh.pipeline !== chips)
    expect(off.map(({ id }) => id)).toEqual([])
  })

  it('are on one side of the split wherever they are one configuration', () => {
    const sides = new Map<string, Set<string>>()
    for (const { group, split } of rows)
      if (group !== undefined) sides.set(group, (sides.get(group) ?? new Set()).add(split))
    expect([...sides].filter(([, splits]) => splits.size > 1)).toEqual([])
  })
})

const prefillSeconds = 0.5
/** A step of b sequences: the weights, and each cache. */
const steps: Steps = {
  prefill: (sequences, length) => timed({ compute: prefillSeconds * sequences * (length / 1000) }),
  generate: (sequences, context) => timed({ weights: 0.01, cache: 1e-7 * sequences * context }),
  maxSequences: (context) => 64_000 / context,
  ranks: 2,
  bench: () => ({ sequences: 20, tokens: 4000 }),
}

function timed(parts: Readonly<Record<string, number>>) {
  return { parts, seconds: Object.values(parts).reduce((sum, seconds) => sum + seconds, 0) }
}

const [first] = rows.filter(({ compare, mesh }) => compare === 'request-latency' && mesh.data === 1)
if (!first) throw new Error('no row to start from')
const request = { ...first, batchSequences: 8, promptLength: 1000, outputLength: 101 }

function secondsOf(row: InferenceRow): number {
  const result = comparison(row, steps)
  return result.status === 'compared' ? result.predicted : Number.NaN
}

describe('what a measurement is compared with', () => {
  const measured = { latencySeconds: 1 }
  const step = 0.01 + 1e-7 * 8 * 1050.5

  it('is prompts and all further tokens for a whole request', () => {
    expect(secondsOf({ ...request, compare: 'request-latency', measured })).toBeCloseTo(4 + 100 * step, 9)
  })

  it('is one of the two where only that was timed, and they add up to one token more than the request', () => {
    const decode = secondsOf({ ...request, compare: 'decode-latency', measured })
    const prefill = secondsOf({ ...request, compare: 'prefill-latency', measured })
    const whole = secondsOf({ ...request, compare: 'request-latency', measured })
    expect(decode + prefill - whole).toBeCloseTo(step, 9)
  })

  it('charges a step of a closed loop with the prompts of those who follow', () => {
    const loop = { compare: 'time-per-output-token', measured: { secondsPerToken: 1 } } as const
    expect(secondsOf({ ...request, ...loop })).toBeCloseTo(step + (8 / 100) * prefillSeconds, 9)
  })

  it('runs a closed loop with no more sequences than fit', () => {
    const loop = { compare: 'time-per-output-token', measured: { secondsPerToken: 1 } } as const
    expect(secondsOf({ ...request, ...loop, batchSequences: 500 })).toBe(
      secondsOf({ ...request, ...loop, batchSequences: 60 }),
    )
  })

  it('sends all requests of a rate through in waves of as many as room, ranks and the scheduler allow, prompts of a step together', () => {
    const rate = { compare: 'max-throughput', measured: { tokensPerSecond: 1 } } as const
    const wave = (sequences: number) => 0.01 + 1e-7 * sequences * 1050.5
    const of = (requests: number) =>
      secondsOf({ ...request, ...rate, batchSequences: 'max', requests }) - prefillSeconds
    expect(of(100)).toBeCloseTo((100 * (2 * wave(40) + wave(20))) / 100, 9)
    expect(of(30)).toBeCloseTo((100 * wave(30)) / 30, 9)
    const roomy = { ...steps, bench: () => ({ sequences: 1000, tokens: 4000 }) }
    const all = comparison({ ...request, ...rate, batchSequences: 'max', requests: 58 }, roomy)
    // 64 000 positions have room for 58 of 1101, whatever they hold on average.
    expect(all).toMatchObject({ predicted: expect.closeTo(prefillSeconds + (100 * wave(58)) / 58, 9) })
    expect(comparison({ ...request, ...rate, batchSequences: 'max' }, steps).status).toBe('left-out')
  })

  it('has parts that sum to it', () => {
    const result = comparison({ ...request, compare: 'request-latency', measured }, steps)
    const parts = result.status === 'compared' ? Object.values(result.parts) : []
    expect(parts.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(4 + 100 * step, 9)
  })

  it('is nothing for a row that was left out beforehand', () => {
    expect(comparison({ ...request, leftOut: 'lengths not stated' }, steps)).toEqual({
      status: 'left-out',
      reason: 'lengths not stated',
    })
  })
})

describe('the table of errors', () => {
  it('counts a configuration once, however often it was measured', () => {
    const compared = (measured: number) => ({
      row: { ...request, group: 'same' },
      comparison: { status: 'compared', predicted: 2, measured, parts: {} } as const,
    })
    const [summary] = errorSummaries([compared(1), compared(4)])
    expect(summary).toMatchObject({ count: 1, ratio: 1, medianError: 0 })
  })
})

const predicted = rows
  .filter(({ mixtureOfExperts }) => !mixtureOfExperts)
  .map((row) => ({ row, comparison: predictedInference(row) }))
const summaries = (split: InferenceRow['split']) =>
  errorSummaries(predicted.filter(({ row }) => row.split === split)).map((summary) => ({
    ...summary,
    name: summary.family.replace(/\s+/g, ' '),
  }))

describe('inference of dense models, predicted', () => {
  it('covers every row that can be compared', () => {
    const left = predicted.filter(
      ({ row, comparison }) =>
        comparison.status === 'left-out' && row.leftOut === undefined && row.compare !== 'out-of-memory',
    )
    expect(left.map(({ row }) => row.id)).toEqual([])
  })

  /** Median of |predicted / measured - 1|, as found, rounded up. */
  it('stays as near to the rows that set constants as it was when they were set', () => {
    const limits: Readonly<Record<string, number>> = {
      'fit prefill-latency SGLang-Jax tpu-v6e': 0.3,
      'fit request-latency FasterTransformer a100-80g-sxm': 0.2,
      'fit time-per-output-token SGLang h200-sxm': 0.15,
      'fit time-per-output-token SGLang-Jax tpu-v6e': 0.05,
      'fit time-per-output-token TensorRT-LLM b200-sxm': 0.12,
      'fit time-per-output-token TensorRT-LLM h200-sxm': 0.2,
      'fit time-per-output-token vLLM b200-sxm': 0.1,
      'fit time-per-output-token vLLM h100-sxm': 0.1,
      'fit time-per-output-token vLLM h200-sxm': 0.05,
    }
    const found = summaries('fit')
    expect(found.map(({ name }) => name)).toEqual(Object.keys(limits).sort())
    expect(found.filter(({ name, medianError }) => !(medianError <= (limits[name] ?? 0)))).toEqual([])
  })

  it.each(summaries('test'))('is within a factor of two, half of $name, where nothing was set', ({
    ratio,
  }) => {
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
  })
})

describe('a fit of a server', () => {
  it.each(
    publishedStacks().filter(({ runs }) => runs === 'inference'),
  )('has the errors of the model as it is: $name', (stack) => {
    const rows = servedRows(stack)
    expect(stack.fit.medianErrorBefore).toBe(rounded(median(servedErrors(rows, {}))))
    expect(stack.fit.medianError).toBe(rounded(median(servedErrors(rows, stack.constants))))
  })
})
