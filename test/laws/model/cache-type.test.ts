/** What a position takes in caches that keep the part that rotates in 16 bits, as servers lay them out. */
import { describe, expect, it } from 'vitest'
import { infer } from '../../../src/infer.ts'
import { cacheElementBytes, usualCacheType } from '../../../src/model/cache-type.ts'
import { kvCacheElements } from '../../../src/model/kv-cache.ts'
import { catalogueModel } from '../../catalogue.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'

describe('a vector of a cache', () => {
  it.each([
    ['deepseek-v4-flash', 'fp8', 584],
    ['deepseek-v4-pro', 'fp8', 584],
    ['deepseek-v4-flash', 'bf16', 1024],
    ['deepseek-v3.2', 'fp8', 656],
    ['deepseek-v3.2', 'bf16', 1152],
    // Without an index the kernels keep all alike.
    ['deepseek-v3', 'fp8', 576],
    ['llama-3.1-8b', 'fp8', 2 * 8 * 128],
  ] as const)('of %s in %s is of %i bytes', (name, type, bytes) => {
    const model = catalogueModel(name)
    expect(kvCacheElements(model) * cacheElementBytes(model, type)).toBeCloseTo(bytes, 9)
  })

  it('is in fp8 where servers keep no other, and in bf16 else', () => {
    expect(usualCacheType(catalogueModel('deepseek-v4-pro'))).toBe('fp8')
    expect(usualCacheType(catalogueModel('deepseek-v3.2'))).toBe('bf16')
  })

  it('counts in the memory of a plan, and vLLM serves it in that type alone', () => {
    const problem = (kvCache: 'fp8' | 'bf16') =>
      inferenceProblem({
        model: 'deepseek-v4-flash',
        chip: 'h200-sxm',
        chips: 8,
        workload: generation(64, 131_072),
        precision: { weights: 'fp8', compute: 'fp8', kvCache },
        constraints: { tensor: 8 },
        top: 1,
      })
    const [narrow, wide] = (['fp8', 'bf16'] as const).map((type) => infer(problem(type), solver).plans[0])
    const refusal = 'vLLM keeps caches of deepseek-v4-flash in fp8 alone'
    expect(JSON.stringify(narrow?.launch)).not.toContain(refusal)
    expect(JSON.stringify(wide?.launch)).toContain(refusal)
    const { layers, attention } = catalogueModel('deepseek-v4-flash')
    const { sparse, heavy, window } = attention.compressed ?? {}
    const vectors =
      131_072 *
        ((sparse?.layers ?? 0) / (sparse?.positions ?? 1) + (heavy?.layers ?? 0) / (heavy?.positions ?? 1)) +
      layers * (window ?? 0)
    const [less, more] = [narrow, wide].map((plan) => plan?.memoryBytes.kvCache ?? 0)
    const chips = (narrow?.chips ?? 0) / (narrow?.mesh.data ?? 1)
    expect(((more ?? 0) - (less ?? 0)) / (64 * vectors * (1024 - 584))).toBeGreaterThan(1 / chips - 1e-3)
    expect(narrow?.mesh).toEqual(wide?.mesh)
  })
})
