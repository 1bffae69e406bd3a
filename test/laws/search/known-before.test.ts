/** Floors that go on from what other requests of the same model found are those that each would find alone. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { reassumed } from '../../../src/cost/reassumed.ts'
import { scheduleRows } from '../../../src/recipe/schedule.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { knownBefore, nothingKnown } from '../../../src/search/bound/on-any-network.ts'
import { microbatchChoices, zeroChoices } from '../../../src/search/layouts/choices.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'

const asked = fc.record({
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
  at: fc.nat(),
})

it('whatever was asked before', () => {
  let hopeful = 0
  forAll(60, [asked], ({ sequences, sequenceLength, schedules, sustainedShare, at, ...of }) => {
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
