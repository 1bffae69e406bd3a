/** What optimizers keep, move and compute, compared with counts made here from the weights' shapes. */

import { describe, expect, it } from 'vitest'
import { createScale, setBatch, setMesh, sumTerms } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stateBytes, updateBytes, updateFlops } from '../../../src/cost/memory/optimizer.ts'
import { fixedMemory } from '../../../src/cost/memory/stage-memory.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { type StageGroup, stageGroups } from '../../../src/cost/step/stages.ts'
import { updateTimes } from '../../../src/cost/step/update-time.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import type { Precision } from '../../../src/problem.ts'
import type { OptimizerName } from '../../../src/recipe/optimizers.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

const [D, F, N, K, H, V, L] = [1024, 4096, 16, 4, 64, 32_768, 4] as const
const [E, G] = [8, 512] as const

const dense: Architecture = {
  layers: L,
  dModel: D,
  dFf: F,
  heads: N,
  kvHeads: K,
  headDim: H,
  vocab: V,
  gatedMlp: true,
  tiedEmbeddings: false,
}

const sparse: Architecture = {
  ...dense,
  experts: { experts: E, activeExperts: 2, sharedExperts: 0, dFfExpert: G, denseLayers: 0, every: 1 },
}

const base: ProblemOptions = {
  model: dense,
  chip: 'h100-sxm',
  chips: 8,
  batchTokens: 8 * 4096,
  sequenceLength: 4096,
  assumptions: { basis: 'calibrated', masterWeights: false },
}

const precision: Precision = {
  weights: 'bf16',
  compute: 'bf16',
  kvCache: 'bf16',
  gradients: 'bf16',
  optimizer: 'fp32',
}

function held(options: Partial<ProblemOptions>, axes: Partial<Mesh> = {}, zero: ZeroStage = 0) {
  const model = costModel(problem({ ...base, ...options }))
  const scale = createScale()
  setMesh(scale, { ...unitMesh, ...axes }, model.extents, padded)
  setBatch(scale, 8)
  const stage = stageModel(model, zero)
  const groups = stageGroups([L], { name: 'none', virtualStages: 1 }, 1)
  const [group] = groups as [StageGroup]
  const all = (of: 'updateFlops' | 'updated') => {
    const sum = (part: 'layerStates' | 'embeddingStates' | 'headStates') => sumTerms(stage[part][of], scale)
    return L * sum('layerStates') + sum('embeddingStates') + sum('headStates')
  }
  return {
    optimizer: fixedMemory(memoryNumbers(model, stage, scale), group).optimizer,
    update: updateTimes(model, stage, scale)(groups),
    updateFlops: all('updateFlops'),
    updated: all('updated'),
  }
}

/** Rows and columns. */
type Shape = readonly [number, number]

const attention: readonly Shape[] = [
  [D, N * H],
  [D, K * H],
  [D, K * H],
  [N * H, D],
]
const mlp: readonly Shape[] = [
  [D, F],
  [D, F],
  [F, D],
]
const expert: readonly Shape[] = [
  [D, G],
  [D, G],
  [G, D],
]
const router: Shape = [D, E]
const layer = [...attention, ...mlp]
const tables: readonly Shape[] = [
  [V, D],
  [D, V],
]

/** Two norms a layer and the last one. */
const vectorElements = (2 * L + 1) * D

const total = (matrices: readonly Shape[], of: (m: number, n: number) => number) =>
  matrices.reduce((sum, [m, n]) => sum + of(m, n), 0)

const elements = (m: number, n: number) => m * n
const edges = (m: number, n: number) => m + n

describe('what an optimizer keeps', () => {
  const bytes = (optimizer: OptimizerName) => held({ optimizer }).optimizer

  it('grows from none to one moment to two', () => {
    expect(bytes('sgd')).toBe(0)
    expect(bytes('adafactor')).toBeGreaterThan(0)
    expect(bytes('adafactor')).toBeLessThan(0.01 * bytes('momentum'))
    expect(bytes('adam8bit')).toBeLessThan(bytes('momentum'))
    expect(bytes('momentum')).toBeLessThan(bytes('muon'))
    expect(bytes('muon')).toBeLessThan(bytes('adamw'))
    expect(bytes('adamw')).toBe(2 * bytes('momentum'))
  })

  it('is a number for each row and column under Adafactor, and a moment for norms', () => {
    expect(bytes('adafactor')).toBe(4 * (L * total(layer, edges) + total(tables, edges) + vectorElements))
  })

  it('is that of each expert apart under Adafactor', () => {
    const perLayer = total([...attention, router], edges) + E * total(expert, edges)
    const numbers = L * perLayer + total(tables, edges) + vectorElements
    expect(held({ optimizer: 'adafactor', model: sparse }).optimizer).toBe(4 * numbers)
  })

  it('is one moment for matrices and two for all else under Muon', () => {
    const others = total(tables, elements) + vectorElements
    expect(bytes('muon')).toBe(4 * (L * total(layer, elements) + 2 * others))
  })

  it('is two bytes and the scales of two blocks of 2048 in 8 bits', () => {
    const parameters = L * total(layer, elements) + total(tables, elements) + vectorElements
    expect(bytes('adam8bit')).toBeCloseTo(parameters * 2 * (1 + 4 / 2048), 3)
  })

  it('halves with moments in bf16, the master copy in fp32 beside them, as DeepSeek-V3 has it', () => {
    const { assumptions } = problem({ ...base, assumptions: 'calibrated' })
    const fp8: Precision = { ...precision, compute: 'fp8', gradients: 'fp32', optimizer: 'bf16' }
    expect(stateBytes('adamw', fp8, assumptions)).toEqual({
      weights: 2,
      gradients: 4,
      optimizer: 4 + 2 * 2,
    })
    expect(held({ precision: fp8 }).optimizer).toBe(held({}).optimizer / 2)
  })

  it('is sharded as ZeRO shards it, factored moments too', () => {
    for (const optimizer of ['adamw', 'adam8bit', 'adafactor', 'muon'] as const) {
      const whole = held({ optimizer }, { data: 8 }, 0).optimizer
      expect(whole / held({ optimizer }, { data: 8 }, 1).optimizer).toBeCloseTo(8, 9)
    }
  })
})

describe('the update', () => {
  it('moves more where more is kept', () => {
    const time = (optimizer: OptimizerName) => held({ optimizer }).update
    expect(time('sgd')).toBeLessThan(time('adafactor'))
    expect(time('adafactor')).toBeLessThan(time('adam8bit'))
    expect(time('adam8bit')).toBeLessThan(time('momentum'))
    expect(time('momentum')).toBeLessThan(time('adamw'))
    const { assumptions } = problem(base)
    expect(updateBytes(stateBytes('adamw', precision, assumptions))).toBe(2 * 8 + 2 + 2)
  })

  it('reads gradients, writes weights, and does both to what the optimizer keeps', () => {
    const parameters = L * total(layer, elements) + total(tables, elements) + vectorElements
    for (const optimizer of ['sgd', 'momentum', 'adamw', 'adafactor', 'muon'] as const) {
      const { optimizer: kept, updated } = held({ optimizer })
      expect(updated).toBe(2 * kept + (2 + 2) * parameters)
    }
    // ZeRO shares out factors as it does other states.
    const { updated } = held({ optimizer: 'adafactor' }, { data: 8 }, 1)
    expect(updated).toBe(held({ optimizer: 'adafactor' }).updated / 8)
  })

  it('takes five Newton-Schulz steps for each matrix of a layer under Muon, and none for embeddings', () => {
    // X·Xᵀ, its square, and the sum of both times X.
    const steps = (m: number, n: number) => {
      const [short, long] = [Math.min(m, n), Math.max(m, n)]
      return 5 * (2 * short * short * long + 2 * short ** 3 + 2 * short * short * long)
    }
    const flops = L * total(layer, steps)
    expect(held({ optimizer: 'muon' }).updateFlops / flops).toBeCloseTo(1, 12)
    expect(held({ optimizer: 'muon' }, { data: 8 }, 1).updateFlops / flops).toBeCloseTo(1 / 8, 12)
    const routed = L * (total([...attention, router], steps) + E * total(expert, steps))
    expect(held({ optimizer: 'muon', model: sparse }).updateFlops / routed).toBeCloseTo(1, 12)
    expect(held({ optimizer: 'adamw' }).updateFlops).toBe(0)
    expect(updateFlops('muon', 'table', D, V)).toBe(0)
  })

  it('multiplies in bf16 where the model does in fp8', () => {
    const muon = (compute: Precision['compute']) =>
      held({ optimizer: 'muon', precision: { ...precision, compute } }).update
    expect(muon('fp8')).toBe(muon('bf16'))
  })
})

describe('gradients', () => {
  it('are reduced in their own element type, whatever the matmuls run in', () => {
    const reduced = (gradients: Precision['gradients'], compute: Precision['compute'], zero: ZeroStage) => {
      const { layer: windows } = stageModel(
        costModel(problem({ ...base, precision: { ...precision, gradients, compute } })),
        zero,
      )
      const [least] = windows.backward
      const buckets = [...windows.gradients.buckets, ...(least?.buckets ?? [])]
      return buckets
        .filter(({ moves }) => moves.some(({ kind }) => kind === 'gradient'))
        .flatMap(({ bytes }) => bytes)
        .reduce((sum, term) => sum + term.base, 0)
    }
    for (const zero of [0, 1, 2, 3] as const) {
      expect(reduced('bf16', 'bf16', zero)).toBeGreaterThan(0)
      expect(reduced('fp32', 'bf16', zero)).toBe(2 * reduced('bf16', 'bf16', zero))
      expect(reduced('fp32', 'fp8', zero)).toBe(reduced('fp32', 'bf16', zero))
    }
  })
})
