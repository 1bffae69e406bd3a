/**
 * Requests in all modes that have no plan: there is always a reason, and every suggestion, applied to the request,
 * makes a legal request that has a plan.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { changed } from '../../../api/hints/change.ts'
import { evaluateRequest } from '../../../api/schemas/evaluate.ts'
import { optimizeRequest } from '../../../api/schemas/optimize.ts'
import { asWritten, inWordsOf } from '../../../api/translate/answer/suggestion.ts'
import { problemOf } from '../../../api/translate/problem.ts'
import { trialOf } from '../../../api/translate/trial.ts'
import { validated } from '../../../api/validation/request-validation.ts'
import { evaluated, optimized } from '../../../api/worker/search-worker.ts'
import { endless } from '../../../src/patience.ts'
import { runs } from '../../runs.ts'

const catalogue = loadCatalogue()
const pick = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

const dense = { layers: 4, dModel: 2048, dFf: 8192, heads: 16, kvHeads: 4, vocab: 32_000 }
const moe = { experts: 8, activeExperts: 2, dFfExpert: 2048, denseLayers: 1 }

const models = pick<unknown>(
  dense,
  { ...dense, moe },
  { ...dense, vocab: 256_000, tiedEmbeddings: true },
  'llama-3.2-1b',
)

const hardware = pick<object>(
  { chip: 'h100-sxm', chips: 1 },
  { chip: 'h100-sxm', chips: 8 },
  { chip: 'a100-80g-sxm', chips: 6 },
  { chip: 'tpu-v5e', topology: [2, 2] },
  { chip: 'tpu-v5e', topology: [2, 2], slices: 2 },
  { chip: 'tpu-v5p', chips: 8 },
)

const budgets = fc.oneof(
  fc.double({ min: 6, max: 9.9, noNaN: true }).map((power) => ({ bytesPerChip: Math.round(10 ** power) })),
  fc.double({ min: 0.08, max: 0.9, noNaN: true }).map((fraction) => ({ fraction })),
)

const constraints = pick<object>(
  {},
  {},
  { data: 1 },
  { pipeline: 1, tensor: 1 },
  { data: 64 },
  { tensor: { min: 32 } },
)

const lengths = pick(512, 4096, 32_768)
const limits = fc.double({ min: -9, max: 0, noNaN: true }).map((power) => 10 ** power)

const training = fc.record({
  mode: fc.constant('train'),
  batchSequences: pick(1, 8, 96, 1024),
  sequenceLength: lengths,
  optimizer: pick('adamw', 'sgd', 'adam8bit'),
  rematerialization: pick(['none'], ['none', 'full']),
})
const prefill = fc.record({
  mode: fc.constant('prefill'),
  promptLength: lengths,
  batchSequences: pick(1, 16, 300),
})
const generation = fc.record(
  {
    mode: fc.constant('generate'),
    batchSequences: pick<number | 'max'>(1, 64, 2000, 'max'),
    contextLength: lengths,
    maxStepSeconds: limits,
    speculative: pick<object>(
      { draftCostRatio: 0.1, acceptance: 0.7 },
      { draftCostRatio: 0.02, acceptance: 0.9, tokens: 64 },
    ),
  },
  { requiredKeys: ['mode', 'batchSequences', 'contextLength'] },
)
const serving = fc.record(
  {
    mode: fc.constant('serve'),
    promptLength: pick(256, 4096),
    outputLength: pick(16, 512),
    requestsPerSecond: pick(0.1, 20, 3000),
    maxTimeToFirstTokenSeconds: limits,
    maxTimePerOutputTokenSeconds: limits,
    disaggregated: pick<boolean | 'auto'>(true, false, 'auto'),
  },
  { requiredKeys: ['mode', 'promptLength', 'outputLength'] },
)

/** Serving says itself how many chips work. */
const fewerChips = pick<object>({}, {}, {}, { chips: 1 }, { chips: { max: 2 }, tensor: 2 }, { chips: [1, 3] })

const requests = (workload: fc.Arbitrary<object>) =>
  fc.record({
    ...{ model: models, hardware, workload, memoryBudget: budgets },
    constraints:
      workload === serving
        ? constraints
        : fc.tuple(constraints, fewerChips).map(([axes, chips]) => ({ ...axes, ...chips })),
    assumptions: pick<unknown>('calibrated', 'calibrated', 'book'),
    top: fc.constant(1),
  })

/** One that is tried in any case: a model of 8 billion parameters on a chip with a megabyte. */
const cramped = {
  ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 8 } },
  ...{ memoryBudget: { bytesPerChip: 1e6 }, constraints: {}, assumptions: 'calibrated', top: 1 },
}
const examples = {
  training: {
    mode: 'train',
    batchSequences: 96,
    sequenceLength: 4096,
    optimizer: 'adamw',
    rematerialization: ['full'],
  },
  prefill: { mode: 'prefill', promptLength: 4096, batchSequences: 16 },
  generation: { mode: 'generate', batchSequences: 64, contextLength: 4096 },
  serving: { mode: 'serve', promptLength: 256, outputLength: 16 },
} as const

interface Suggested {
  readonly pointer: string
  readonly value: unknown
  readonly also?: readonly { readonly pointer: string; readonly value: unknown }[]
}

const applied = (body: object, { also = [], ...own }: Suggested) => changed(body, [own, ...also]) as object

/** Null where the request is refused: constraints that the mode has no use for. */
function answered(body: object) {
  const request = validated(optimizeRequest, body)
  const question = problemOf(request, catalogue)
  return inWordsOf(request, optimized(question, endless))
}

it.each([
  ['training', training, 5],
  ['prefill', prefill, 4],
  ['generation', generation, 7],
  ['serving', serving, 3],
] as const)('%s', (mode, workload, count) => {
  let nowhere = 0
  fc.assert(
    fc.property(requests(workload), (body) => {
      const { plans, infeasible } = answered(body)
      expect(plans.length > 0).toBe(infeasible === null)
      if (!infeasible) return
      nowhere++
      expect(infeasible.reasons, JSON.stringify(body)).not.toEqual([])
      for (const suggestion of infeasible.suggestions) {
        const again = answered(applied(body, suggestion))
        expect(again.plans.length, JSON.stringify({ body, suggestion })).toBeGreaterThan(0)
      }
    }),
    { numRuns: runs(count), examples: [[{ ...cramped, workload: examples[mode] } as never]] },
  )
  expect(nowhere).toBeGreaterThan(0)
})

const sketches = fc.record(
  {
    mesh: pick<object>(
      { data: 8 },
      { tensor: 8 },
      { data: 2, tensor: 2, pipeline: 2 },
      { data: 4, tensor: 2 },
    ),
    batchSequences: pick(8, 300),
  },
  { requiredKeys: ['mesh'] },
)

it.each([
  ['training', training, 4],
  ['prefill', prefill, 4],
  ['generation', generation, 4],
] as const)('a written plan of %s', (mode, workload, count) => {
  const verdict = (body: object) => {
    const request = validated(evaluateRequest, body)
    const answer = evaluated(trialOf(problemOf(request, catalogue), request.plan), endless)
    if ('illegal' in answer) return null
    return {
      ...answer,
      suggestions: answer.suggestions && asWritten(request, answer.suggestions, evaluateRequest),
    }
  }
  const memoryBudget = { fraction: 0.02 }
  let unfit = 0
  fc.assert(
    fc.property(
      requests(workload),
      sketches,
      pick('none', undefined),
      ({ top: _top, ...asked }, sketch, remat) => {
        const { batchSequences: _batch, ...free } = sketch
        const kept = mode === 'training' && remat ? { rematerialization: remat } : {}
        const own = mode === 'generation' ? sketch : { ...free, ...kept }
        const body = {
          ...asked,
          hardware: { chip: 'h100-sxm', chips: 8 },
          constraints: {},
          memoryBudget,
          plan: own,
        }
        const answer = verdict(body)
        if (!answer || answer.plan.feasible) return
        unfit++
        for (const suggestion of answer.suggestions ?? []) {
          const again = verdict(applied(body, suggestion))
          expect(again?.plan.feasible, JSON.stringify({ body, suggestion })).toBe(true)
        }
      },
    ),
    {
      numRuns: runs(count),
      examples: [[{ ...cramped, workload: examples[mode] } as never, { mesh: { tensor: 8 } }, undefined]],
    },
  )
  expect(unfit).toBeGreaterThan(0)
})
