/** Sparse attention: what an index adds to a model, what it saves, and where it saves nothing. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { contextGroups } from '../../../src/inference/pass/contexts.ts'
import { forwardFlops } from '../../../src/model/flops.ts'
import { kvCacheBytesPerToken } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { indexBytesPerToken, indexedShare } from '../../../src/model/position-index.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { catalogueModel } from '../../catalogue.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'

const [dense, sparse] = [catalogueModel('deepseek-v3'), catalogueModel('deepseek-v3.2')]

describe('an index of positions', () => {
  it('has queries of each head, one key and a weight of each head', () => {
    const more = parameterCount(sparse).total - parameterCount(dense).total
    expect(more / sparse.layers).toBeCloseTo(1536 * 64 * 128 + 7168 * (128 + 64), 0)
  })

  it('makes the whole of what GLM-5.2 has fewer than GLM-5: 743e9 published, and 744e9', () => {
    const total = (name: string) => Math.round(parameterCount(catalogueModel(name)).total / 1e9)
    expect([total('glm-5'), total('glm-5.2')]).toEqual([744, 743])
  })

  it('keeps 128 bytes per position and layer beside the latent vectors, in whatever type these are', () => {
    const layers = 61
    expect(kvCacheBytesPerToken(sparse, 2, 4096)).toBe(layers * (2 * 576 + 128))
    expect(kvCacheBytesPerToken(sparse, 1, 4096)).toBe(layers * (576 + 128))
  })

  it('stands in layers 0, 1, 2, 6, 10 and so on of GLM-5.2: in 21 of 78', () => {
    const glm = catalogueModel('glm-5.2')
    expect(indexedShare(glm) * glm.layers).toBeCloseTo(21, 9)
    expect(indexBytesPerToken(glm)).toBeCloseTo(21 * 128, 9)
    expect(indexedShare(catalogueModel('glm-5'))).toBe(1)
    expect(indexedShare(dense)).toBe(0)
  })

  it('scores all positions, of which attention meets as many as it chooses', () => {
    const [group] = contextGroups(sparse, 100_000, 1)
    expect(group).toMatchObject({ read: 100_001, met: 100_001, chosen: { read: 2048, met: 2048 } })
    const [short] = contextGroups(sparse, 0, 1000)
    expect(short?.chosen).toEqual({ read: 1000, met: 500.5 })
    const [plain] = contextGroups(dense, 100_000, 1)
    expect(plain?.chosen).toEqual({ read: 100_001, met: 100_001 })
  })

  it('leaves FLOPs that grow with the positions, at the rate of its own heads', () => {
    const at = (length: number) => forwardFlops(sparse, 1, length, 'full').dotProducts
    expect(at(65_536) - at(32_768)).toBeCloseTo(61 * 32_768 * 2 * 64 * 128, -3)
  })
})

describe('a plan with an index', () => {
  const step = (model: string, context: number) => {
    const problem = inferenceProblem({
      model,
      chip: 'h200-sxm',
      chips: 16,
      workload: generation(64, context),
    })
    const layout = {
      attention: 'copied-all/batch/absorbed',
      mlp: '1d-sequences',
      experts: '1d-sequences/sliced',
      unembedding: '1d-sequences',
    }
    const written = { mesh: { ...unitMesh, tensor: 16 }, layout }
    return legal(evaluateInference(problem, written, solver)).plan
  }

  it('is faster than attention to all positions where there are many, and takes longer where there are few', () => {
    const gain = (context: number) =>
      step('deepseek-v3', context).stepTimeSeconds / step('deepseek-v3.2', context).stepTimeSeconds
    expect(gain(1024)).toBeLessThan(1)
    expect(gain(1024)).toBeGreaterThan(0.9)
    expect(gain(32_768)).toBeGreaterThan(1.05)
    expect(gain(131_072)).toBeGreaterThan(gain(32_768))
  })

  it('has caches that are larger by the keys of the index', () => {
    const [own, others] = [step('deepseek-v3.2', 32_768), step('deepseek-v3', 32_768)]
    const more = own.memoryBytes.kvCache - others.memoryBytes.kvCache
    expect(more / (61 * 128 * (64 / 16) * 32_768)).toBeCloseTo(1, 6)
  })

  it('prefills short prompts as attention to all positions does, and long ones by what it chooses', () => {
    const formsOf = (promptLength: number) => {
      const problem = inferenceProblem({
        model: 'deepseek-v3.2',
        chip: 'h200-sxm',
        chips: 16,
        workload: prompts(16, promptLength),
      })
      const time = (form: string) => {
        const layout = {
          attention: `copied-all/batch/${form}`,
          mlp: '1d-sequences',
          unembedding: '1d-sequences',
        }
        const written = {
          mesh: { ...unitMesh, tensor: 16 },
          layout: { ...layout, experts: '1d-sequences/sliced' },
        }
        return legal(evaluateInference(problem, written, solver)).plan.stepTimeSeconds
      }
      return time('projected') / time('absorbed')
    }
    expect(formsOf(1024)).toBeLessThan(1)
    expect(formsOf(65_536)).toBeGreaterThan(1)
  })
})
