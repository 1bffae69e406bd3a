import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answering, type Heard } from '../planners.ts'
import { question, service } from '../service.ts'

const prefill = { mode: 'prefill', promptLength: 2048, batchSequences: 4 }
const generate = { mode: 'generate', contextLength: 8192, batchSequences: 'max' }
const serve = { mode: 'serve', promptLength: 1024, outputLength: 256 }

const huggingFace = (name: string) => ({
  huggingFace: JSON.parse(
    readFileSync(new URL(`../../../fixtures/hugging-face/${name}.json`, import.meta.url), 'utf8'),
  ).config,
})

async function asked(change: object, path = '/optimize') {
  const heard: Heard = {}
  const { status, text, body } = await service({ search: answering(heard) })
    .post(path)
    .send({ ...question, ...change })
  expect(status, text).toBe(200)
  if (!heard.problem) throw new Error('nothing was searched')
  return { problem: heard.problem, sketch: heard.sketch, warnings: body.warnings, body }
}

describe('a request of inference becomes a problem', () => {
  it('of prefill, no prefix cached unless it says so', async () => {
    const { problem, body } = await asked({ workload: prefill })
    expect(problem.workload).toEqual({ ...prefill, cachedPrefixLength: 0 })
    expect(body.mode).toBe('prefill')
    const chunked = { ...prefill, cachedPrefixLength: 2047, chunkTokens: 512 }
    expect((await asked({ workload: chunked })).problem.workload).toEqual(chunked)
  })

  it('of generation, caches full unless it says how full', async () => {
    const { problem, body } = await asked({ workload: generate })
    expect(problem.workload).toEqual({ ...generate, meanContextLength: 8192 })
    expect(body.mode).toBe('generate')
    const limited = { ...generate, batchSequences: 32, meanContextLength: 4096, maxStepSeconds: 0.05 }
    expect((await asked({ workload: limited })).problem.workload).toEqual(limited)
  })

  it('of serving, phases together or apart as is better', async () => {
    const { problem, body } = await asked({ workload: serve })
    expect(problem.workload).toEqual({ ...serve, disaggregated: 'auto', cachedPrefixLength: 0 })
    expect(body.mode).toBe('serve')
    const objectives = {
      ...serve,
      disaggregated: false,
      cachedPrefixLength: 512,
      requestsPerSecond: 0.5,
      maxTimeToFirstTokenSeconds: 1,
      maxTimePerOutputTokenSeconds: 0.04,
    }
    expect((await asked({ workload: objectives })).problem.workload).toEqual(objectives)
  })

  it('with weights and caches in types that the chip need not compute in', async () => {
    const precision = { weights: 'int4', kvCache: 'fp4' }
    const { problem } = await asked({ workload: generate, precision })
    expect(problem.precision).toMatchObject({ weights: 'int4', kvCache: 'fp4', compute: 'bf16' })
  })

  it('with weights as a Hugging Face config keeps them, where the request says nothing else', async () => {
    const model = huggingFace('qwen3-32b-fp8-static')
    const weights = async (change: object) => (await asked({ model, ...change })).problem.precision.weights
    expect(await weights({ workload: generate })).toBe('fp8')
    expect(await weights({ workload: generate, precision: { weights: 'bf16' } })).toBe('bf16')
    expect(await weights({})).toBe('bf16')
  })

  it.each([
    ['deepseek-r1', 'h800-sxm', { weights: 'fp8', compute: 'fp8', kvCache: 'bf16' }],
    ['kimi-k2-instruct', 'h800-sxm', { weights: 'fp8', compute: 'fp8', kvCache: 'bf16' }],
    ['qwen3-32b-fp8-static', 'h100-sxm', { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' }],
    ['qwen3-32b-fp8-static', 'a100-80g-sxm', { weights: 'fp8', compute: 'bf16', kvCache: 'fp8' }],
    ['gpt-oss-120b', 'h100-sxm', { weights: 'mxfp4', compute: 'bf16', kvCache: 'bf16' }],
    ['gpt-oss-120b', 'b200-sxm', { weights: 'mxfp4', compute: 'fp8', kvCache: 'bf16' }],
    ['gpt-oss-120b', 'mi355x', { weights: 'mxfp4', compute: 'bf16', kvCache: 'bf16' }],
    ['kimi-k2.5-nvfp4', 'b200-sxm', { weights: 'nvfp4', compute: 'nvfp4', kvCache: 'fp8' }],
    ['kimi-k2.5-nvfp4', 'h100-sxm', { weights: 'nvfp4', compute: 'bf16', kvCache: 'fp8' }],
  ])('with %s as it is stored, on %s: %j', async (name, chip, precision) => {
    const model = huggingFace(name)
    const heard = await asked({ model, hardware: { chip, chips: 64 }, workload: generate })
    expect(heard.problem.precision).toMatchObject(precision)
    const lacks = precision.compute === 'bf16' && name !== 'gpt-oss-120b'
    const { warnings } = heard.body
    expect(warnings.join()).toContain('as the Hugging Face config stores them')
    expect(warnings.join().includes(`${chip} does not compute in`)).toBe(lacks)
  })

  it('says what is left in bf16 and how much that is', async () => {
    const { body } = await asked({ model: huggingFace('gpt-oss-120b'), workload: generate })
    expect(body.warnings.join()).toContain(
      '60.9 GB in mxfp4 at 4.25 bits with scales, 4.23 GB left in bf16 (attention, embedding, unembedding)',
    )
  })

  it('with what the request says of precision before what a config does', async () => {
    const ask = async (precision: object) => {
      const { problem } = await asked({
        model: huggingFace('qwen3-32b-fp8-static'),
        workload: generate,
        precision,
      })
      return problem.precision
    }
    expect(await ask({ compute: 'bf16', kvCache: 'bf16' })).toMatchObject({
      compute: 'bf16',
      kvCache: 'bf16',
    })
    expect(await ask({ weights: 'fp8' })).toEqual(await ask({}))
    expect(await ask({ weights: 'int8' })).toMatchObject({
      weights: 'int8',
      compute: 'bf16',
      kvCache: 'bf16',
    })
    expect(await ask({ weights: 'int8' })).not.toHaveProperty('parameterBytes')
  })

  it.each([
    ['h100-sxm', 'fp8', 'fp8'],
    ['a100-80g-sxm', 'fp8', 'bf16'],
    ['b200-sxm', 'nvfp4', 'nvfp4'],
    ['h100-sxm', 'nvfp4', 'bf16'],
    ['b200-sxm', 'mxfp4', 'bf16'],
    ['h100-sxm', 'int8', 'bf16'],
  ])('multiplied as servers do it where no release has them: on %s weights in %s in %s', async (chip, weights, compute) => {
    const of = async (precision: object, workload: object = generate) =>
      (await asked({ hardware: { chip, chips: 8 }, workload, precision })).problem.precision.compute
    expect(await of({ weights })).toBe(compute)
    expect(await of({ weights, compute: 'bf16' })).toBe('bf16')
  })

  it('in training with bf16 whatever the weights are in', async () => {
    const { problem } = await asked({ precision: { weights: 'fp8' } })
    expect(problem.precision).toMatchObject({ weights: 'fp8', compute: 'bf16' })
  })

  it('in training with bf16, as a config is of released weights, and says so unless it is asked otherwise', async () => {
    const ask = (precision: object) => asked({ model: huggingFace('deepseek-v3'), precision })
    const { problem, body } = await ask({})
    expect(problem.precision).toMatchObject({ weights: 'bf16', compute: 'bf16' })
    expect(body.warnings.join()).toContain('has weights in fp8: training is costed')
    expect((await ask({ compute: 'fp8' })).body.warnings.join()).not.toContain('training is costed')
  })

  it('with a plan of a mesh and of layouts for some components', async () => {
    const plan = { mesh: { tensor: 64 }, layout: { attention: '1d/batch', mlp: '2d' } }
    const { sketch, body } = await asked({ workload: generate, plan }, '/evaluate')
    expect(sketch).toEqual({
      mesh: { data: 1, fsdp: 1, tensor: 64, tensor2: 1, context: 1, expert: 1, pipeline: 1 },
      layout: { attention: '1d/batch', mlp: '2d' },
    })
    expect(body.mode).toBe('generate')
    const bare = await asked({ workload: prefill, plan: { mesh: {} } }, '/evaluate')
    expect(bare.sketch).toMatchObject({ layout: {} })
  })

  it('with constraints that allow what the mode has', async () => {
    const constraints = { tensor: [4, 8], fsdp: 1, context: { max: 2 } }
    expect((await asked({ workload: generate, constraints })).problem.constraints).toEqual(constraints)
  })
})

describe('speculative decoding', () => {
  const drafted = (speculative: object, model = 'llama-3-70b') =>
    asked({ model, workload: { ...generate, speculative } })

  it('takes the cost of a draft as it is given', async () => {
    const speculative = { draftCostRatio: 0.05, acceptance: 0.7, tokens: 4 }
    const { problem, warnings } = await drafted(speculative)
    expect(problem.workload).toMatchObject({
      speculative: { draft: { costRatio: 0.05 }, acceptance: 0.7, tokens: 4 },
    })
    expect(warnings).toEqual(['From the search.'])
  })

  it('or of the model that drafts, which takes steps of its own, and says so', async () => {
    const { problem, warnings } = await drafted({ draftModel: 'llama-3-8b', acceptance: 0.7 })
    expect(problem.workload).toMatchObject({
      speculative: { draft: { name: 'llama-3-8b', layers: 32 }, acceptance: 0.7 },
    })
    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toMatch(/llama-3-8b .* a step of its own .* types of llama-3-70b/)
  })

  it('warns of a draft with another vocabulary', async () => {
    const { warnings } = await drafted({ draftModel: 'llama-2-7b', acceptance: 0.7 })
    expect(warnings[1]).toMatch(/vocabulary of 32000 and llama-3-70b one of 128256/)
  })

  it('of a deployment says how many tokens its servers draft', async () => {
    const workload = { mode: 'serve', promptLength: 1024, outputLength: 128 }
    const speculative = { draftModel: 'llama-3-8b', acceptance: 0.7, tokens: 3 }
    const { problem, warnings } = await asked({
      model: 'llama-3-70b',
      workload: { ...workload, speculative },
    })
    expect(problem.workload).toMatchObject({
      speculative: { draft: { name: 'llama-3-8b' }, acceptance: 0.7, tokens: 3 },
    })
    expect(warnings[0]).toMatch(/llama-3-8b .* a step of its own/)
  })

  it('also with a draft by its dimensions', async () => {
    const draftModel = { layers: 1, dModel: 8192, dFf: 28_672, heads: 64, kvHeads: 8, vocab: 128_256 }
    const { problem } = await drafted({ draftModel, acceptance: 0.7 })
    expect(problem.workload).toMatchObject({ speculative: { draft: draftModel } })
  })
})
