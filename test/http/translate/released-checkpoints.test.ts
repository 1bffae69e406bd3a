/**
 * Element types in which a catalogue model is served: those of its released checkpoint, read in the same way as from a
 * Hugging Face config.
 */

import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { modelRequest } from '../../../api/schemas/given/model.ts'
import { optimizeRequest } from '../../../api/schemas/optimize.ts'
import { resolvedModel } from '../../../api/translate/model/model.ts'
import { precisionOf } from '../../../api/translate/precision.ts'
import { parameterBytes } from '../../../src/cost/memory/parameter-bytes.ts'
import { peakOf, plainType } from '../../../src/hardware/peak.ts'
import { chipOf } from '../../../src/hardware/record.ts'
import { importHuggingFace } from '../../../src/model/hugging-face/import.ts'
import { partParameters, weightParts } from '../../../src/model/weight-parts.ts'
import { elementTypes } from '../../../src/recipe/element-type.ts'
import { forAll } from '../../law.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const catalogue = loadCatalogue()
const released = [...catalogue.models.values()].filter(({ checkpoints }) => checkpoints.length > 0)
const generate = { mode: 'generate', batchSequences: 4, contextLength: 2048 }

function precision(model: unknown, chip: string, asked: object = {}, workload: object = generate) {
  const record = catalogue.chips.get(chip)
  if (!record) throw new Error(`no chip ${chip}`)
  const request = optimizeRequest.parse({ model, hardware: { chip, chips: 8 }, workload, precision: asked })
  return precisionOf(
    request,
    chipOf(record, 'calibrated'),
    resolvedModel(modelRequest.parse(model), catalogue),
  )
}

/** Of all weights in a part, in bytes. */
function stored(name: string, asked: object = {}): number {
  const { precision: used } = precision(name, 'h100-sxm', asked)
  const parameters = partParameters(resolvedModel(name, catalogue).transformer)
  return weightParts.reduce((sum, part) => sum + parameters[part] * parameterBytes(used, part), 0)
}

/** Of other models of the same shape, or quantised by others than their authors. */
const others = [
  'dbrx-instruct-4bit',
  'kimi-k2.5',
  'kimi-k2.5-nvfp4',
  'llama-3-8b-instruct-nf4',
  'qwen3-32b-fp8-static',
]

const folder = new URL('../../../fixtures/hugging-face/', import.meta.url)
const twins = readdirSync(folder)
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
  .filter(({ model, weights }) => model && ['fp8', 'mxfp4', 'nvfp4', 'int8', 'int4'].includes(weights))
  .filter(({ name }) => !others.includes(name))

describe('a catalogue name', () => {
  it.each(twins)('of $name is served as its config.json is', ({ model, weights, config }) => {
    const result = importHuggingFace(config)
    if (result.status !== 'imported') throw new Error(result.status)
    const known = catalogue.models
      .get(model)
      ?.checkpoints.find((checkpoint) => checkpoint.weights === weights)
    const { name: _name, ...checkpoint } = known ?? {}
    expect(checkpoint).toEqual(result.checkpoint)
  })

  it.each([
    ['deepseek-r1', 'fp8', 'deepseek-ai/DeepSeek-R1'],
    ['gpt-oss-120b', 'mxfp4', 'openai/gpt-oss-120b'],
    ['kimi-k2', 'fp8', 'moonshotai/Kimi-K2-Instruct'],
    ['grok-1', 'int8', 'xai-org/grok-1'],
    ['qwen3-32b', 'bf16', 'Qwen/Qwen3-32B'],
  ])('takes what was released of %s in inference: %s', (model, weights, checkpoint) => {
    const { precision: used, warnings } = precision(model, 'h200-sxm')
    expect(used).toMatchObject({ weights, checkpoint })
    expect(warnings.join().includes(`as ${checkpoint} stores them`)).toBe(weights !== 'bf16')
    const train = { mode: 'train', batchTokens: 65_536, sequenceLength: 2048 }
    expect(precision(model, 'h200-sxm', {}, train).precision).toMatchObject({ weights: 'bf16' })
  })

  it('takes the one with weights as asked, and says where there is none', () => {
    const fp8 = precision('llama-3.1-405b', 'h100-sxm', { weights: 'fp8' })
    expect(fp8.precision).toMatchObject({ compute: 'fp8', checkpoint: 'meta-llama/Llama-3.1-405B-FP8' })
    expect(fp8.warnings.join()).toContain('attention')
    const asFour = precision('gpt-oss-20b', 'h100-sxm', { weights: 'fp4' }).precision
    expect(asFour).toEqual(precision('gpt-oss-20b', 'h100-sxm').precision)
    const other = precision('deepseek-v3', 'b200-sxm', { weights: 'nvfp4' })
    expect(other.precision).not.toHaveProperty('checkpoint')
    expect(other.warnings.join()).toContain(
      'DeepSeek-V3 has weights in fp8: as the request asks, all weights are costed in nvfp4 at 4.5 bits',
    )
  })

  it('has the checkpoint of its own authors before those of others in the same type', () => {
    for (const { record, checkpoints } of released) {
      const names = checkpoints.map(({ name = '', weights }) => [name.split('/')[0], plainType(weights)])
      const [author] = names[0] ?? []
      for (const [at, [owner, type]] of names.entries()) {
        const earlier = names.slice(0, at).filter(([, other]) => other === type)
        if (owner === author) expect(earlier, record.name).toEqual([])
      }
    }
  })

  // README of xai-org/grok-1 and glennklockwood.com: 318 GB; gpt-oss model card, table 1: 60.8 GiB.
  it.each([
    ['grok-1', 318e9],
    ['gpt-oss-120b', 60.8 * 2 ** 30],
  ])('of %s takes as many bytes as were released', (name, bytes) => {
    expect(Math.abs(stored(name) / bytes - 1)).toBeLessThan(0.01)
  })

  it('counts the scales of blocks where a type has them', () => {
    const all = stored('llama-3-70b')
    expect(stored('llama-3-70b', { weights: 'mxfp4' }) / all).toBeCloseTo(4.25 / 16, 12)
    expect(stored('llama-3-70b', { weights: 'nvfp4' }) / all).toBeCloseTo(4.5 / 16, 12)
    expect(stored('llama-3-70b', { weights: 'fp4' }) / all).toBeCloseTo(4 / 16, 12)
  })
})

describe('a repository of Hugging Face', () => {
  const repositories = [...catalogue.models.values()].flatMap(({ record }) => {
    const configs = JSON.stringify(record.sources).matchAll(/config\.json of ([\w.-]+\/[\w.-]+)/g)
    const ids = [...configs].map(([, id = '']) => id)
    return [...ids, ...(record.checkpoints ?? []).map(({ name }) => name)].map(
      (id) => [id, record.name] as const,
    )
  })

  it('that the catalogue has a model of is that model', () => {
    expect(repositories.length).toBeGreaterThan(50)
    for (const [id, name] of repositories) {
      expect(resolvedModel(id, catalogue).transformer.name, id).toBe(name)
      expect(resolvedModel(`someone/${id.slice(id.indexOf('/') + 1)}`, catalogue).transformer.name).toBe(name)
    }
  })

  it('is what a server is told to load, in the types that it is stored in', () => {
    for (const { record, checkpoints } of released) {
      for (const { name = '', weights } of checkpoints) {
        const { precision: used } = precision(name, 'b200-sxm')
        expect(used.checkpoint, record.name).toBe(name)
        expect(used.weights).toBe(weights)
        const first = checkpoints.find((one) => one.weights === weights)
        if (name === first?.name) expect(stored(name)).toBeCloseTo(stored(record.name, { weights }), 0)
      }
    }
  })

  // NVIDIA, Red Hat and AMD convert all matmuls of layers; Meta leaves attention and two layers in bf16. R1's attention has 11.4e9 parameters.
  it.each([
    ['meta-llama/Llama-3.1-405B-FP8', 488e9, 'stores them'],
    ['meta-llama/Llama-3.1-405B-Instruct-FP8', 488e9, 'a guess from meta-llama/Llama-3.1-405B-FP8'],
    ['nvidia/Llama-3.1-405B-Instruct-FP8', 410e9, 'stores them'],
    ['neuralmagic/Meta-Llama-3.1-405B-Instruct-FP8-dynamic', 410e9, 'stores them'],
    [
      'RedHatAI/Meta-Llama-3.1-405B-Instruct-FP8',
      410e9,
      'a guess from RedHatAI/Meta-Llama-3.1-405B-Instruct-FP8-dynamic',
    ],
    ['amd/Llama-3.1-405B-Instruct-FP8-KV', 410e9, 'stores them'],
    ['org/Llama-3.1-405B-Instruct-FP8', 410e9, 'a guess from its name'],
    ['nvidia/DeepSeek-R1-FP4', 395.4e9, 'stores them'],
    ['org/DeepSeek-R1-FP4', 379e9, 'a guess from its name'],
    ['org/DeepSeek-R1-FP8', 673e9, 'a guess from deepseek-ai/DeepSeek-R1'],
    ['amd/DeepSeek-R1-MXFP4', 358e9, 'stores them'],
  ])('of %s is stored as its own card says, in %d bytes, or is told to be %s', (name, bytes, told) => {
    expect(Math.abs(stored(name) / bytes - 1)).toBeLessThan(0.005)
    expect(precision(name, 'b200-sxm').warnings.join()).toContain(told)
  })

  it('says by its name how it is quantised, and is unpacked where the chip does not compute so', () => {
    const types = (name: string, chip = 'b200-sxm') => {
      const { weights, compute, checkpoint } = precision(name, chip).precision
      return [weights, compute, checkpoint]
    }
    const one = 'org/Llama-3.1-70B-Instruct'
    expect(types(one)).toEqual(['bf16', 'bf16', one])
    expect(types(`${one}-FP8`)).toEqual(['fp8', 'fp8', `${one}-FP8`])
    expect(types(`${one}-FP8`, 'a100-80g-sxm')).toEqual(['fp8', 'bf16', `${one}-FP8`])
    expect(types(`${one}-NVFP4`)).toEqual(['nvfp4', 'nvfp4', `${one}-NVFP4`])
    expect(types(`${one}-quantized.w8a8`)).toEqual(['int8', 'int8', `${one}-quantized.w8a8`])
    expect(types(`${one}-AWQ`)).toEqual(['int4', 'bf16', `${one}-AWQ`])
    for (const four of ['bnb-4bit', 'unsloth-bnb-4bit', 'NF4', 'GPTQ', '4bit', 'W4A16', 'W4A8', 'Int4'])
      expect(types(`${one}-${four}`)).toEqual(['int4', 'bf16', `${one}-${four}`])
    for (const eight of ['bnb-8bit', 'GPTQ-8bit', '8bit', 'W8A16', 'Int8'])
      expect(types(`${one}-${eight}`)).toEqual(['int8', 'bf16', `${one}-${eight}`])
    expect(types(`${one}-MXFP8`)).toEqual(['fp8', 'fp8', `${one}-MXFP8`])
    expect(types('llama-3.1-70b-fp8')).toEqual(['fp8', 'fp8', undefined])
    expect(types('org/DeepSeek-R1-0528')).toEqual(['fp8', 'fp8', 'org/DeepSeek-R1-0528'])
    expect(types('org/DeepSeek-R1-BF16')).toEqual(['bf16', 'bf16', 'org/DeepSeek-R1-BF16'])
  })
})

describe('caches of a release', () => {
  it.each([
    ['nvidia/DeepSeek-R1-0528-FP4', 'fp8'],
    ['nvidia/DeepSeek-R1-0528-NVFP4-v2', 'fp8'],
    ['nvidia/Qwen3-235B-A22B-NVFP4', 'fp8'],
    ['nvidia/Llama-3.3-70B-Instruct-FP8', 'fp8'],
    ['amd/Llama-3.3-70B-Instruct-FP8-KV', 'fp8'],
    // TensorRT-LLM's own tests run it with caches in 16 bits, and in FP8 where they say so.
    ['nvidia/DeepSeek-R1-FP4', 'bf16'],
    ['RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic', 'bf16'],
    ['org/Qwen3-235B-A22B-NVFP4', 'bf16'],
  ])('%s are in %s, as its hf_quant_config.json or its name says', (name, type) => {
    expect(precision(name, 'b200-sxm').precision.kvCache).toBe(type)
    expect(precision(name, 'b200-sxm').warnings.join()).toContain(`caches in ${type}`)
    expect(precision(name, 'b200-sxm', { kvCache: 'bf16' }).precision.kvCache).toBe('bf16')
  })
})

describe('a release in a format that no server here loads', () => {
  it.each([
    ['unsloth/Llama-3.3-70B-Instruct-GGUF', 'llama-3.3-70b', 'llama.cpp'],
    ['google/gemma-3-27b-it-qat-q4_0-gguf', 'gemma-3-27b', 'llama.cpp'],
    ['mlx-community/Llama-3.3-70B-Instruct-4bit', 'llama-3.3-70b', 'MLX'],
    ['lmstudio-community/Qwen3-32B-MLX-8bit', 'qwen3-32b', 'MLX'],
    ['turboderp/Llama-3.1-70B-Instruct-exl2', 'llama-3.1-70b', 'ExLlama'],
  ])('%s is told to be that, with the model to plan in its place', async (model, instead, what) => {
    const ask = (asked: string) =>
      service({ search: planning })
        .post('/optimize')
        .send({ model: asked, hardware: { chip: 'h100-sxm', chips: 4 }, workload: generate, top: 1 })
    const { status, body } = await ask(model)
    expect(status).toBe(422)
    expect(body.detail).toContain(what)
    expect(body.errors[0]).toMatchObject({ pointer: '/model', suggestions: [instead] })
    expect((await ask(instead)).body.plans.length).toBe(1)
  })

  it('is as one of its own where nothing is known of the model', async () => {
    expect(() => resolvedModel('org/nothing-known-GGUF', catalogue)).toThrow(/llama\.cpp/)
  })
})

describe('what matmuls run in', () => {
  it('is what the chip computes in, whatever weights there are, and is said where it is not their type', () => {
    const model = fc.constantFrom(...released.map(({ record }) => record.name))
    const chip = fc.constantFrom(...catalogue.chips.keys())
    const weights = fc.option(fc.constantFrom(...elementTypes), { nil: undefined })
    forAll(200, [model, chip, weights], (name, chipName, asked) => {
      const record = catalogue.chips.get(chipName)
      const { precision: used, warnings } = precision(name, chipName, asked ? { weights: asked } : {})
      if (!record) throw new Error(chipName)
      expect(peakOf(record, used.compute)).toBeDefined()
      const narrow = peakOf(record, used.weights) === undefined
      if (narrow) expect(warnings.join()).toMatch(/unpacked to bf16|costed in bf16/)
    })
  })
})

describe('a checkpoint as released runs on what it is known to run on', () => {
  it.each([
    ['deepseek-r1', 'h200-sxm', 8],
    ['deepseek-r1', 'mi300x', 8],
    ['gpt-oss-120b', 'h100-sxm', 1],
    ['gpt-oss-120b', 'a100-80g-sxm', 1],
    ['kimi-k2', 'h200-sxm', 16],
  ])('%s on %s x %d', async (model, chip, chips) => {
    const workload = { mode: 'generate', batchSequences: 1, contextLength: 2048 }
    const { body } = await service({ search: planning })
      .post('/optimize')
      .send({ model, hardware: { chip, chips }, workload, top: 1 })
    expect(body.plans.length, JSON.stringify(body.infeasible?.reasons)).toBe(1)
    expect(body.precision.checkpoint).toBe(catalogue.models.get(model)?.checkpoints[0]?.name)
  })
})
