/** The time of a collective by the size of its message, and its lower bounds. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { operationTime, transferSeconds } from '../../../src/cost/communication/operation-time.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { type Placement, placements } from '../../../src/hardware/network/placement.ts'
import { type Axis, axisBit, unitMesh } from '../../../src/sharding/axis.ts'
import type { Operation } from '../../../src/sharding/move.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'

const operations = fc.constantFrom<Operation>('AllGather', 'ReduceScatter', 'AllReduce', 'AllToAll')
const bytes = fc.integer({ min: 0, max: 36 }).map((power) => 2 ** power)
const halves = fc.constantFrom(0, 1e6, 1e7, 1e9)
const { cluster, assumptions } = problem({
  ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 64, batchTokens: 8192, sequenceLength: 8192 },
})
const groups = fc
  .constantFrom([2, 1], [8, 1], [4, 2], [16, 1], [8, 8], [64, 1])
  .map(([size = 1, stride = 1]) => ({ kind: 'switched', spans: [{ size, stride }] }) as const)

describe('a collective behind switches', () => {
  law(
    'takes no longer in one piece than in several, and no less for more',
    100,
    [groups, operations, bytes, halves, fc.integer({ min: 2, max: 64 })],
    (group, op, size, half, pieces) => {
      const cost = groupCost(cluster.network, group, { ...assumptions, scaleUpHalfBytes: half })
      const time = (own: number) => operationTime(op, own, cost)
      expect(time(size)).toBeLessThanOrEqual(pieces * time(size / pieces) * (1 + 1e-12))
      expect(time(size)).toBeLessThanOrEqual(time(2 * size))
    },
  )

  it('of the bytes that reach half takes twice as long as those bytes do on the wire, inside a node alone', () => {
    const at = (size: number, stride: number, half: number) =>
      transferSeconds(
        'AllGather',
        1e7,
        groupCost(
          cluster.network,
          { kind: 'switched', spans: [{ size, stride }] },
          { ...assumptions, scaleUpHalfBytes: half },
        ),
      )
    const wire = 1e7 / (450e9 * assumptions.scaleUpEfficiency)
    expect(at(8, 1, 1e7)).toBeCloseTo(wire * (7 / 8 + 1), 12)
    expect(at(8, 8, 1e7)).toBe(at(8, 8, 0))
    expect(at(8, 8, 0)).toBeCloseTo((1e7 * 7) / 8 / (50e9 * assumptions.scaleOutEfficiency), 12)
  })

  it('is at best no slower than wherever it is placed', () => {
    const meshes = fc.constantFrom<Partial<Record<Axis, number>>>(
      { tensor: 8, fsdp: 8 },
      { tensor: 4, context: 4, data: 4 },
      { tensor: 2, fsdp: 32 },
    )
    forAll(100, [meshes, operations, bytes, halves], (sizes, op, size, half) => {
      const mesh = { ...unitMesh, ...sizes }
      const axes = (Object.keys(sizes) as Axis[]).map((axis) => axisBit[axis])
      const prices = networkPrices(cluster.network, axes, { ...assumptions, scaleUpHalfBytes: half })
      const [best] = prices.bestCases(mesh)
      placements(cluster.network, mesh).forEach((placement: Placement) => {
        const placed = prices.placed(placement, mesh)
        for (const set of axes) {
          const [own, least] = [placed[set], best?.[set]]
          if (!own || !least) throw new RangeError('not priced')
          expect(operationTime(op, size, least)).toBeLessThanOrEqual(operationTime(op, size, own))
        }
      })
    })
  })
})
