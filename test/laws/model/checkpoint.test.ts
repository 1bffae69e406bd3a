import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  meanParameterBytes,
  parameterBytes,
  quantizedBytes,
} from '../../../src/cost/memory/parameter-bytes.ts'
import { importHuggingFace } from '../../../src/model/hugging-face/import.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { byPart, partParameters, weightParts } from '../../../src/model/weight-parts.ts'
import type { Precision } from '../../../src/problem.ts'
import { forAll } from '../../law.ts'

const fixtures = new URL('../../../fixtures/', import.meta.url)

function configOf(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(`hugging-face/${name}.json`, fixtures), 'utf8')).config
}

function imported(config: Readonly<Record<string, unknown>>) {
  const result = importHuggingFace(config)
  if (result.status !== 'imported') throw new Error(JSON.stringify(result))
  return result
}

function quantized(config: Readonly<Record<string, unknown>>) {
  const { checkpoint, transformer, ignored } = imported(config)
  if (!checkpoint?.quantized) throw new Error('the checkpoint is plain')
  return { ...checkpoint.quantized, transformer, ignored }
}

const llama = configOf('llama-3.1-8b')

function llamaWith(quantization_config: Readonly<Record<string, unknown>>) {
  return quantized({ ...llama, quantization_config })
}

/** Of all parts, over bytes of the file. */
function storedBytes(name: string): number {
  const { transformer, ...checkpoint } = quantized(configOf(name))
  const bytes = quantizedBytes(checkpoint)
  const parameters = partParameters(transformer)
  return weightParts.reduce((sum, part) => sum + parameters[part] * bytes[part], 0)
}

const group = (parts: Readonly<Record<string, unknown>>) => ({
  quant_method: 'compressed-tensors',
  config_groups: { group_0: parts },
})

describe('a checkpoint', () => {
  // Table 1 of the gpt-oss model card (arXiv 2508.10925): 60.8 and 12.8 GiB.
  it.each<[string, number]>([
    ['gpt-oss-120b', 60.8 * 2 ** 30],
    ['gpt-oss-20b', 12.8 * 2 ** 30],
  ])('of %s is as large as published', (name, published) => {
    expect(Math.abs(storedBytes(name) / published - 1)).toBeLessThan(0.01)
  })

  it.each<[Record<string, unknown>, number, string | undefined]>([
    [{ quant_method: 'fp8', activation_scheme: 'dynamic' }, 8, 'fp8'],
    [{ quant_method: 'mxfp4' }, 4.25, undefined],
    [{ quant_method: 'modelopt', quant_algo: 'NVFP4' }, 4.5, 'nvfp4'],
    [{ quant_method: 'modelopt', quant_algo: 'W4A8_AWQ' }, 4.125, 'fp8'],
    [{ quant_method: 'gptq', bits: 4, group_size: 128 }, 4.125, undefined],
    [{ quant_method: 'gptq', bits: 4, group_size: -1 }, 4, undefined],
    [{ quant_method: 'gptq', bits: 8, group_size: 128 }, 8, undefined],
    [{ quant_method: 'awq', bits: 4, group_size: 64 }, 4.25, undefined],
    [{ quant_method: 'bitsandbytes', load_in_4bit: true }, 4.5, undefined],
    [{ quant_method: 'bitsandbytes', load_in_8bit: true }, 8, undefined],
    [group({ weights: { num_bits: 8, type: 'float' }, input_activations: null }), 8, undefined],
    [
      group({
        weights: { num_bits: 8, type: 'float' },
        input_activations: { num_bits: 8, type: 'float', dynamic: true },
      }),
      8,
      'fp8',
    ],
    [
      group({ weights: { num_bits: 8, type: 'int' }, input_activations: { num_bits: 8, type: 'int' } }),
      8,
      'int8',
    ],
    [group({ weights: { num_bits: 4, type: 'int', group_size: 32 } }), 4.5, undefined],
    [group({ weights: { num_bits: 4, type: 'float', group_size: 32 } }), 4.25, undefined],
  ])('quantised by %j has %d bits a weight and activations in %s', (config, bits, activations) => {
    const scheme = llamaWith(config)
    expect(scheme.bits).toBeCloseTo(bits, 12)
    expect(scheme.activations).toBe(activations)
  })

  it('of NF4 quantised twice has 0.127 bits of scales, as QLoRA says', () => {
    const config = { quant_method: 'bitsandbytes', load_in_4bit: true, bnb_4bit_use_double_quant: true }
    expect(llamaWith(config).bits).toBeCloseTo(4.127, 3)
  })

  it('of bits that no type has counts them as they are, and says so', () => {
    const { bits, weights, ignored } = llamaWith({ quant_method: 'gptq', bits: 3, group_size: 128 })
    expect([bits, weights]).toEqual([3.125, 'int4'])
    expect(ignored.join()).toContain('3 bits')
    expect(llamaWith({ quant_method: 'gptq', bits: 4 }).ignored).toEqual([])
  })

  it.each<[string, string | undefined]>([
    ['qwen3-32b-fp8-static', 'fp8'],
    ['kimi-k2.5-nvfp4', 'fp8'],
    ['kimi-k2.5', undefined],
    ['deepseek-r1', undefined],
  ])('of %s says that caches are in %s', (name, kvCache) => {
    expect(quantized(configOf(name)).kvCache).toBe(kvCache)
  })

  it.each<[string, readonly string[]]>([
    ['deepseek-r1', ['embedding', 'unembedding']],
    ['qwen3-235b-a22b-fp8', ['embedding', 'unembedding']],
    ['gpt-oss-120b', ['attention', 'embedding', 'unembedding']],
    ['kimi-k2.5-nvfp4', ['attention', 'embedding', 'unembedding']],
    ['kimi-k2.5', ['attention', 'mlp', 'sharedExperts', 'embedding', 'unembedding']],
    ['dbrx-instruct-4bit', []],
  ])('of %s leaves %j as they are', (name, parts) => {
    const { keptShares } = quantized(configOf(name))
    expect(weightParts.filter((part) => keptShares[part] > 0)).toEqual(parts)
    expect(weightParts.every((part) => [0, 1].includes(keptShares[part]))).toBe(true)
  })

  it('leaves the share of a part that its list of layers is', () => {
    const keeping = (...modules_to_not_convert: readonly unknown[]) =>
      llamaWith({ quant_method: 'fp8', modules_to_not_convert }).keptShares
    expect(keeping('model.layers.0.mlp', 'model.layers.31.mlp.down_proj')).toMatchObject({
      mlp: 2 / 32,
      attention: 0,
    })
    expect(keeping('model.layers.0')).toMatchObject({ mlp: 1 / 32, attention: 1 / 32 })
    expect(keeping('model.layers.99.self_attn', 'model.norm', 7)).toMatchObject({ mlp: 0, attention: 0 })
    expect(keeping('q_proj')).toMatchObject({ attention: 1, mlp: 0 })
  })

  it('takes an MLP that a layer has in experts for these', () => {
    const config = configOf('deepseek-r1')
    const quantization = {
      quant_method: 'fp8',
      modules_to_not_convert: ['model.layers.0.mlp', 'model.layers.3.mlp'],
    }
    const { keptShares } = quantized({ ...config, quantization_config: quantization })
    expect(keptShares).toMatchObject({ mlp: 1 / 3, experts: 1 / 58, sharedExperts: 1 / 58, attention: 0 })
  })

  it('says which blocks of a weight share a scale, where they do', () => {
    const config = configOf('deepseek-r1')
    const blocks = { rows: 128, columns: 128 }
    const size = [128, 128]
    const block = (fields: Record<string, unknown>) =>
      quantized({ ...config, quantization_config: fields }).block
    expect(block({ quant_method: 'fp8', weight_block_size: size })).toEqual(blocks)
    expect(block({ quant_method: 'modelopt', quant_algo: 'FP8_BLOCK_SCALES' })).toEqual(blocks)
    expect(block(group({ weights: { num_bits: 8, type: 'float', block_structure: size } }))).toEqual(blocks)
    expect(block({ quant_method: 'fp8' })).toBeUndefined()
    expect(block({ quant_method: 'fp8', weight_block_size: null })).toBeUndefined()
  })

  it('says what it does not know of what is left alone', () => {
    const { ignored } = llamaWith({ quant_method: 'fp8', modules_to_not_convert: ['model.mystery'] })
    expect(ignored.join()).toContain('model.mystery')
  })

  it('converts the head where the config says that it is', () => {
    expect(llamaWith({ quant_method: 'gptq', bits: 4, lm_head: true }).keptShares).toMatchObject({
      embedding: 1,
      unembedding: 0,
    })
  })
})

describe('bytes of a parameter', () => {
  const bf16: Precision = {
    weights: 'bf16',
    compute: 'bf16',
    kvCache: 'bf16',
    gradients: 'fp32',
    optimizer: 'fp32',
  }

  it('are those of the element type where no checkpoint says more', () => {
    expect(weightParts.map((part) => parameterBytes(bf16, part))).toEqual(weightParts.map(() => 2))
    expect(meanParameterBytes(bf16, imported(llama).transformer)).toBe(2)
  })

  it('lie between those of what is converted and of what is not, by the share', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    forAll(100, [share, fc.double({ min: 1, max: 8, noNaN: true })], (kept, bits) => {
      const keptShares = byPart(() => kept)
      const { mlp } = quantizedBytes({ weights: 'int4', bits, kept: 'bf16', keptShares })
      expect(mlp).toBeGreaterThanOrEqual(bits / 8 - 1e-12)
      expect(mlp).toBeLessThanOrEqual(2 + 1e-12)
      expect((mlp - bits / 8) * 1).toBeCloseTo(kept * (2 - bits / 8), 12)
    })
  })

  it.each([
    'gpt-oss-120b',
    'deepseek-v3',
    'llama-4-maverick',
    'phi-4',
  ])('are of parts that make up %s but for routers and norms', (name) => {
    const { transformer } = imported(configOf(name))
    const parts = partParameters(transformer)
    const sum = weightParts.reduce((total, part) => total + parts[part], 0)
    const { total } = parameterCount(transformer)
    expect(sum).toBeLessThan(total)
    expect(sum).toBeGreaterThan(0.999 * total)
  })
})
