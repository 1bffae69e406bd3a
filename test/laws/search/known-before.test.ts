/** Floors that go on from what other requests of the same model found are those that each would find alone. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { onCluster } from '../../../src/cost/posed.ts'
import { reassumed } from '../../../src/cost/reassumed.ts'
import { scheduleRows } from '../../../src/recipe/schedule.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { growsWithBatch } from '../../../src/search/bound/floor-sums.ts'
import { type KnownBefore, knownBefore, nothingKnown } from '../../../src/search/bound/known-before.ts'
import { replicaHopes } from '../../../src/search/bound/replica-floor.ts'
import { microbatchChoices, zeroChoices } from '../../../src/search/layouts/choices.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { axisBit, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'

const asks = fc.record({
  model: fc.constantFrom('llama-3-8b', 'mixtral-8x7b'),
  chips: fc.constantFrom(16, 32, 48, 64),
  sequences: fc.constantFrom(64, 96, 256),
  sequenceLength: fc.constantFrom(2048, 4096),
  memoryBudget: fc.constantFrom(24e9, 80e9),
  schedules: fc.subarray(
    scheduleRows.map(({ name }) => name),
    { minLength: 1 },
  ),
  sustainedShare: fc.constantFrom(0.7, 0.8),
  constraints: fc.constantFrom({}, { zeroStage: 1 as const }, { zeroStage: 3 as const }),
  at: fc.nat(),
})

const onTori = fc.record({
  model: fc.constantFrom('llama-3-8b', 'mixtral-8x7b'),
  topology: fc.constantFrom([2, 4, 4], [4, 4, 4]),
})

it('whatever was asked before, of the same number of chips or another', () => {
  let hopeful = 0
  forAll(60, [asks], ({ sequences, sequenceLength, schedules, sustainedShare, at, ...of }) => {
    const made = problem({
      ...of,
      ...{ chip: 'h100-sxm', sequenceLength, batchTokens: sequences * sequenceLength },
      assumptions: { basis: 'calibrated', schedules },
    })
    const model = reassumed(costModel(made), { sustainedShare })
    const alone = meshFloors(model, nothingKnown())
    const after = meshFloors(model, knownBefore(model))
    const { allowed } = enumerateMeshes(made)
    for (let turn = 0; turn < 12; turn++) {
      const mesh = allowed[(at + 7 * turn) % allowed.length]
      if (!mesh) continue
      const floor = alone.of(mesh, createScale())
      expect(after.of(mesh, createScale())).toBe(floor)
      const [one, other] = [alone, after].map(({ within }) => within(mesh, createScale(), 1.2 * floor))
      expect(other === null).toBe(one === null)
      for (const { microbatches } of microbatchChoices(mesh, made)) {
        for (const zeroStage of zeroChoices(mesh, made)) {
          expect(other?.(zeroStage, microbatches)).toBe(one?.(zeroStage, microbatches))
          if (one && one(zeroStage, microbatches) < Number.POSITIVE_INFINITY) hopeful++
        }
      }
    }
  })
  expect(hopeful).toBeGreaterThan(100)
})

it('of replicas on other numbers of chips, where some straddle nodes', () => {
  const shape = fc.record({
    tensor: fc.constantFrom(1, 2, 3, 5, 6, 7, 8),
    context: fc.constantFrom(1, 1, 3, 5),
    expert: fc.constantFrom(1, 2),
    pipeline: fc.constantFrom(1, 2, 4),
  })
  const parts = fc.uniqueArray(fc.constantFrom(10, 12, 15, 20, 25, 30, 40, 48), {
    minLength: 3,
    maxLength: 5,
  })
  const name = fc.constantFrom('llama-3-8b', 'mixtral-8x7b')
  const limits = [0.5, 1, 2, 4, 8, 16, 32]
  const known = new Map<string, KnownBefore>()
  let [may, mayNot, straddling] = [0, 0, 0]
  forAll(80, [name, shape, parts, fc.integer({ min: 1, max: 64 })], (model, drawn, chips, each) => {
    const made = problem({ model, chip: 'h100-sxm', chips: 48, sequenceLength: 2048, batchTokens: 64 * 2048 })
    const whole = costModel(made)
    const shared = known.get(model) ?? nothingKnown()
    known.set(model, shared)
    const replica: Mesh = { ...unitMesh, ...drawn, expert: made.model.experts ? drawn.expert : 1 }
    for (const there of chips) {
      const cluster = { ...made.cluster, chips: there, network: { ...made.cluster.network, chips: there } }
      const on = onCluster(whole, cluster)
      if (on.prices.kindOf(replica) > 0) straddling++
      const [alone, after] = [nothingKnown(), shared].map((known) => ({
        floors: meshFloors(on, known),
        hope: replicaHopes(on, known).on(cluster),
      }))
      const floorOf = (one: typeof alone) => one?.floors.of(replica, createScale())
      expect(floorOf(after)).toBe(floorOf(alone))
      const turnOf = (one: typeof alone) => one?.floors.turn(replica, each * drawn.expert, createScale())
      expect(turnOf(after)).toBe(turnOf(alone))
      for (const limit of limits) {
        const hopes = (one: typeof alone) => one?.hope(replica, each, limit)
        expect(hopes(after)).toBe(hopes(alone))
        if (hopes(alone)) may++
        else mayNot++
      }
    }
  })
  expect(may).toBeGreaterThan(100)
  expect(mayNot).toBeGreaterThan(100)
  expect(straddling).toBeGreaterThan(50)
})

it('on other slices of a torus', () => {
  forAll(30, [onTori, fc.constantFrom(64, 96), fc.nat()], ({ model: name, topology }, sequences, at) => {
    const made = problem({
      ...{ model: name, chip: 'tpu-v5p', topology, sequenceLength: 2048, batchTokens: sequences * 2048 },
    })
    const model = costModel(made)
    const { allowed } = enumerateMeshes(made)
    for (let turn = 0; turn < 12; turn++) {
      const mesh = allowed[(at + 7 * turn) % allowed.length]
      if (!mesh) continue
      const [alone, after] = [nothingKnown(), knownBefore(model)].map((known) => meshFloors(model, known))
      const floor = alone?.of(mesh, createScale()) ?? 0
      expect(after?.of(mesh, createScale())).toBe(floor)
      for (const limit of [0.9 * floor, 1.1 * floor, 1.5 * floor]) {
        const may = (one: typeof alone) => one?.hopeful(mesh, createScale(), limit)
        expect(may(after)).toBe(may(alone))
      }
    }
  })
})

it('as nothing that grows with a batch moves over replicas', () => {
  let growing = 0
  for (const model of [
    'llama-3-8b',
    'gpt-3-175b',
    'mixtral-8x7b',
    'deepseek-v3',
    'nemotron-3-super-120b-a12b',
  ]) {
    for (const basis of ['book', 'calibrated'] as const) {
      const of = { model, chip: 'h100-sxm', chips: 64, sequenceLength: 2048, batchTokens: 64 * 2048 }
      for (const { leastBackward, stages } of contextModels(problem({ ...of, assumptions: { basis } }))) {
        const windows = stages.flatMap(({ layer, head }) => [
          ...[layer.forward, ...layer.backward, layer.weights, layer.gradients],
          ...[head.forward, head.backward],
        ])
        for (const { buckets } of [leastBackward, ...windows]) {
          for (const bucket of buckets.filter(growsWithBatch)) {
            expect(bucket.over & (axisBit.data | axisBit.fsdp)).toBe(0)
            growing++
          }
        }
      }
    }
  }
  expect(growing).toBeGreaterThan(1000)
})
