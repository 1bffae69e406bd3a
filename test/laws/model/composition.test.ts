import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { computeNumbers, trafficNumbers } from '../../../src/cost/step/microbatch.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import { type Architecture, transformer } from '../../../src/model/architecture.ts'
import {
  denseLayer,
  layersAreAlike,
  mirroredCompositions,
  sparseLayer,
  stageCompositions,
  wholeComposition,
} from '../../../src/model/composition.ts'
import { hasExperts } from '../../../src/model/expert-layers.ts'
import { layerKindFlops, unembeddingFlops } from '../../../src/model/flops.ts'
import type { Problem } from '../../../src/problem.ts'
import { unlikeCuts } from '../../../src/search/stages/unlike-cuts.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

const dense: Architecture = {
  layers: 9,
  dModel: 1024,
  dFf: 4096,
  heads: 8,
  kvHeads: 4,
  headDim: 128,
  vocab: 32_000,
  gatedMlp: true,
  tiedEmbeddings: false,
}

const experts = {
  experts: 8,
  activeExperts: 2,
  sharedExperts: 1,
  dFfExpert: 1536,
  denseLayers: 3,
  every: 1,
}

const models = fc
  .record({
    layers: fc.integer({ min: 8, max: 24 }),
    denseLayers: fc.integer({ min: 0, max: 5 }),
    every: fc.integer({ min: 1, max: 3 }),
    multiTokenLayers: fc.integer({ min: 0, max: 2 }),
    mixed: fc.boolean(),
  })
  .map(({ layers, denseLayers, every, multiTokenLayers, mixed }) =>
    transformer('any', {
      ...dense,
      layers,
      multiTokenLayers,
      experts: mixed ? { ...experts, denseLayers, every } : null,
    }),
  )

const total = <Item>(items: readonly Item[], pick: (item: Item) => number) =>
  items.reduce((sum, item) => sum + pick(item), 0)

describe('the layers of stages', () => {
  law(
    'are the layers of the model, of each kind, however it is cut',
    100,
    [models, fc.constantFrom(2, 4), fc.constantFrom(1, 2), fc.nat()],
    (model, p, v, seed) => {
      const counts = Array.from({ length: p }, (_, stage) => (stage < p - 1 ? 1 + ((seed >> stage) & 1) : 0))
      counts[p - 1] = model.layers - total(counts, (count) => count)
      for (const own of [stageCompositions(model, counts, v), mirroredCompositions(model, counts)]) {
        const whole = wholeComposition(model)
        for (const pick of ['layers', 'dense', 'sparse'] as const) {
          expect(total(own, (composition) => composition[pick])).toBe(whole[pick])
        }
      }
    },
  )

  law(
    'are as many with experts as there are among those that a stage of one piece has',
    100,
    [models, fc.integer({ min: 1, max: 7 })],
    (model, first) => {
      const [own] = stageCompositions(model, [first, model.layers - first])
      const having = Array.from({ length: first }, (_, layer) => layer).filter((layer) =>
        hasExperts(model, layer),
      )
      expect(own).toEqual({ layers: first, dense: first - having.length, sparse: having.length })
    },
  )

  it('follow each other chunk by chunk where stages are virtual', () => {
    const model = transformer('dense first', { ...dense, layers: 8, experts: { ...experts, denseLayers: 2 } })
    expect(stageCompositions(model, [4, 4], 2).map((own) => own.dense)).toEqual([2, 0])
    expect(stageCompositions(model, [4, 4], 4).map((own) => own.dense)).toEqual([1, 1])
  })
})

const workload = { chip: 'h100-sxm', chips: 8, batchTokens: 2 ** 18, sequenceLength: 4096 } as const

function numbersOf(made: Problem) {
  const model = costModel(made)
  const mesh = { ...unitMesh, data: 2, tensor: 2, pipeline: 2 }
  const [placement] = placements(made.cluster.network, mesh)
  if (!placement) throw new RangeError('A switched network places every mesh')
  const scale = createScale()
  setMesh(scale, mesh, model.extents, padded)
  setBatch(scale, 4)
  return {
    compute: computeNumbers(model, scale),
    traffic: trafficNumbers(model, stageModel(model, 1), scale, model.prices.placed(placement, mesh)),
    memory: memoryNumbers(model, stageModel(model, 1), scale),
  }
}

type Numbers = ReturnType<typeof numbersOf>

/** What adds up over layers, per layer. */
function additive({ compute, traffic, memory }: Numbers): readonly number[] {
  return [
    compute.forward,
    compute.weightGradients,
    ...compute.backward,
    ...traffic.forward,
    ...compute.backward.flatMap((_, policy) => [...traffic.backward(policy)]),
    ...traffic.gradients,
    ...traffic.weights,
    ...memory.kept,
    memory.layer.weights,
    memory.layer.gradients,
    memory.layer.optimizer,
  ]
}

function expectAlike(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length)
  actual.forEach((value, at) => {
    expect(Math.abs(value - (expected[at] ?? 0))).toBeLessThanOrEqual(1e-9 * Math.abs(expected[at] ?? 0))
  })
}

function of({ compute, traffic, memory }: Numbers, composition: typeof denseLayer): Numbers {
  return {
    compute: compute.of?.(composition) ?? compute,
    traffic: traffic.of?.(composition) ?? traffic,
    memory: memory.of?.(composition) ?? memory,
  }
}

describe('the numbers of a stage', () => {
  const mixed = { ...dense, experts, multiTokenLayers: 1 }

  it('are the average of the model where it has all of its layers', () => {
    const numbers = numbersOf(problem({ ...workload, model: mixed }))
    expectAlike(additive(of(numbers, wholeComposition(transformer('mixed', mixed)))), additive(numbers))
  })

  it('of dense layers are those of the dense model, of layers with experts those of a model of these', () => {
    // Some policies are of one kind of model alone.
    const asked = { ...workload, rematerialization: ['none', 'selective', 'full'] }
    const numbers = numbersOf(problem({ ...asked, model: mixed }))
    const alone = (own: Architecture['experts']) =>
      additive(numbersOf(problem({ ...asked, model: { ...dense, experts: own ?? null } })))
    expectAlike(additive(of(numbers, denseLayer)), alone(null))
    expectAlike(additive(of(numbers, sparseLayer)), alone({ ...experts, denseLayers: 0 }))
  })

  it('have the working set of the larger kind that it has', () => {
    const { memory } = numbersOf(problem({ ...workload, model: mixed }))
    const at = (composition: typeof denseLayer) => memory.of?.(composition).live ?? []
    const both = at({ layers: 2, dense: 1, sparse: 1 })
    both.forEach((bytes, policy) => {
      expect(bytes).toBe(Math.max(at(denseLayer)[policy] ?? 0, at(sparseLayer)[policy] ?? 0))
    })
    expect(at(denseLayer)).not.toEqual(at(sparseLayer))
  })

  it('are the same for all stages where layers are alike', () => {
    for (const own of [null, { ...experts, denseLayers: 0 }]) {
      const made = problem({ ...workload, model: { ...dense, experts: own } })
      const { compute, traffic, memory } = numbersOf(made)
      expect(layersAreAlike(made.model)).toBe(true)
      expect([compute.of, traffic.of, memory.of]).toEqual([undefined, undefined, undefined])
    }
  })
})

describe('the cuts of unlike layers', () => {
  const made = problem({
    ...workload,
    model: { ...dense, layers: 10, experts: { ...experts, dFfExpert: 8192 } },
  })

  it('are those few of all numbers of layers on the last stage that are the most even', () => {
    const cuts = unlikeCuts({ problem: made }, 4, { name: '1f1b', virtualStages: 1 })
    expect(cuts.length).toBe(5)
    expect(new Set(cuts.map(({ stageLayers }) => stageLayers.at(-1))).size).toBe(5)
    const flops = layerKindFlops(made.model, made.workload.sequenceLength, 'causal')
    const head = unembeddingFlops(made.model, 1)
    const longest = cuts.map(({ compositions }) =>
      Math.max(
        ...compositions.map(
          ({ dense, sparse }, stage) =>
            dense * flops.dense + sparse * flops.sparse + (stage === 3 ? head : 0),
        ),
      ),
    )
    expect(longest).toEqual([...longest].sort((a, b) => a - b))
    for (const { stageLayers } of cuts) expect(total(stageLayers, (count) => count)).toBe(10)
  })

  it('give more layers to a stage whose layers have fewer FLOPs', () => {
    const [cut] = unlikeCuts({ problem: made }, 4, { name: '1f1b', virtualStages: 1 })
    const [first = 0, ...others] = cut?.stageLayers.slice(0, -1) ?? []
    expect(first).toBeGreaterThan(Math.max(...others))
  })
})
