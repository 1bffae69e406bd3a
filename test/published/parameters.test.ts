import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AttentionFlops, trainFlopsPerToken } from '../../src/model/flops.ts'
import { parameterCount } from '../../src/model/parameters.ts'
import { type Spelling, spelledOut } from '../../src/model/spelling.ts'
import { spellingFaults } from '../../src/model/spelling-faults.ts'
import { denseTrainFlops } from '../rules-of-thumb.ts'

interface ModelFile {
  readonly name: string
  readonly architecture: Spelling
  readonly published: {
    readonly parameters: number
    readonly roundedTo?: number
    readonly activeParameters?: number
    readonly activeWithout?: readonly ('embedding' | 'unembedding')[]
  }
  readonly sources: Readonly<Record<string, string>>
}

const directory = new URL('../../fixtures/models/', import.meta.url)

function modelFile(file: string): ModelFile {
  return JSON.parse(readFileSync(new URL(file, directory), 'utf8'))
}

const files = readdirSync(directory).filter((file) => file.endsWith('.json'))
const models = files.map(modelFile)

function catalogued(name: string) {
  return spelledOut(name, modelFile(`${name}.json`).architecture)
}

function relativeError(value: number, published: number): number {
  return Math.abs(value - published) / published
}

/** One unit of the last figure that is not a zero. */
function lastFigure(printed: number): number {
  let unit = 1
  while (printed % (10 * unit) === 0) unit *= 10
  return unit
}

describe('the catalogue of models', () => {
  it('has at least forty models', () => {
    expect(models.length).toBeGreaterThanOrEqual(40)
  })

  it.each(files)('%s is called what it says', (file) => {
    expect(`${modelFile(file).name}.json`).toBe(file)
  })

  it.each(files)('%s names a source for its shape and for its published parameters', (file) => {
    const { sources } = modelFile(file)
    expect(sources['/architecture']).toMatch(/\w{3}/)
    expect(sources['/published/parameters']).toMatch(/\w{3}/)
  })

  it.each(models)('$name has whole positive dimensions and kv-heads that divide its heads', (model) => {
    const { layers, dModel, dFf, heads, kvHeads, headDim, vocab } = spelledOut(model.name, model.architecture)
    for (const size of [layers, dModel, dFf, heads, kvHeads, headDim, vocab]) {
      expect(Number.isInteger(size) && size > 0).toBe(true)
    }
    expect(heads % kvHeads).toBe(0)
  })

  it.each(models)('$name is spelled as a request may spell it', ({ architecture }) => {
    expect(spellingFaults(architecture)).toEqual([])
  })

  it.each(models)('$name names a source for active parameters if it has any', ({ published, sources }) => {
    expect('/published/activeParameters' in sources).toBe('activeParameters' in published)
  })
})

describe('counted parameters', () => {
  it.each(models)('of $name are within 1 % of the published ones, or those as they are rounded', ({
    name,
    architecture,
    published,
  }) => {
    const { total } = parameterCount(spelledOut(name, architecture))
    const { parameters, roundedTo } = published
    const allowed = roundedTo ? roundedTo / 2 : 0.01 * parameters
    expect(Math.abs(total - parameters)).toBeLessThan(allowed)
  })

  // Active parameters are printed to two or three figures, rounded or cut off: they are known to one unit of the last.
  it.each(
    models.filter(({ published }) => published.activeParameters),
  )('of $name that one token meets are within 1 % of the published ones, or the last figure of these', (model) => {
    const { activeParameters = 0, activeWithout = [] } = model.published
    const count = parameterCount(spelledOut(model.name, model.architecture))
    const counted = activeWithout.reduce((left, part) => left - count[part], count.active)
    const off = Math.abs(counted - activeParameters)
    expect(off).toBeLessThanOrEqual(Math.max(0.01 * activeParameters, lastFigure(activeParameters)))
  })

  // README_WEIGHTS.md of deepseek-ai/DeepSeek-V3: 11.5e9 of its own, embedding and head shared.
  it('of the MTP module of DeepSeek-V3 are within 1 % of the published ones', () => {
    expect(relativeError(parameterCount(catalogued('deepseek-v3')).multiToken, 11.5e9)).toBeLessThan(0.01)
  })

  // No biases, and no norms but those of the formula: these leave nothing out.
  it.each([
    'llama-1-65b',
    'llama-2-7b',
    'llama-3-8b',
    'llama-3-70b',
    'llama-3.1-405b',
    'llama-3.2-1b',
    'mistral-7b',
    'mistral-large-2-123b',
    'phi-3-mini',
    'phi-4',
    'yi-34b',
    'smollm3-3b',
    'mixtral-8x7b',
    'deepseek-v2-lite',
    'llama-4-scout',
    'llama-4-maverick',
  ])('of %s are the published ones to the last', (name) => {
    expect(parameterCount(catalogued(name)).total).toBe(modelFile(`${name}.json`).published.parameters)
  })

  // The paper counts 256128 rows of the embedding, and the checkpoints have 256000 of them.
  it.each(['gemma-2b', 'gemma-7b'])('of %s are too, with the rows that the paper has beyond them', (name) => {
    const model = catalogued(name)
    const further = (256_128 - 256_000) * model.dModel
    expect(parameterCount(model).total + further).toBe(modelFile(`${name}.json`).published.parameters)
  })
})

describe('published training compute', () => {
  // Brown et al. 2020 (arXiv 2005.14165), appendix D: 300e9 tokens; printed to three digits.
  it.each([
    ['gpt-3-350m', 6.41e20],
    ['gpt-3-6.7b', 1.2e22],
    ['gpt-3-13b', 2.31e22],
    ['gpt-3-175b', 3.14e23],
  ])('of %s is 6 FLOPs for each parameter and token', (name, flops) => {
    const { total } = parameterCount(catalogued(name))
    expect(relativeError(denseTrainFlops(total, 300e9), flops)).toBeLessThan(0.005)
  })

  // Chowdhery et al. 2022 (arXiv 2204.02311), appendix B: 238.3e3 tokens/s on 6144 chips of 275e12 FLOP/s.
  it.each<[AttentionFlops, number]>([
    ['full', 0.462],
    ['none', 0.457],
  ])('of PaLM 540B, with attention counted as %s, gives the MFU that its authors print', (attention, mfu) => {
    const flops = trainFlopsPerToken(catalogued('palm-540b'), 2048, attention)
    expect((238.3e3 * flops) / (6144 * 275e12)).toBeCloseTo(mfu, 3)
  })
})
