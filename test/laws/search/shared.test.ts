/** What searches share between numbers of chips, and between numbers of sequences, is what each would find for itself. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { union } from '../../../src/hardware/network/group.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import { byReplica } from '../../../src/search/bound/by-replica.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { leastTime } from '../../../src/search/bound/turn-floor.ts'
import { axesOf, axisSets, type Mesh, replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'

const size = fc.constantFrom(1, 1, 2, 3, 4, 5, 8, 16)

it('prices a group as on the network that it lies on, whatever others were priced before', () => {
  const node = fc.constantFrom(1, 2, 4, 8, 72)
  const sets = Array.from({ length: axisSets }, (_, set) => set)
  const drawn = [size, size, size, size, node, fc.nat(40), fc.nat(200)] as const
  forAll(60, [...drawn], (tensor, fsdp, data, pipeline, within, idle, more) => {
    const mesh: Mesh = { ...unitMesh, tensor, fsdp, data, pipeline }
    const chips = tensor * fsdp * data * pipeline
    const { cluster, assumptions } = problem({
      ...{
        model: 'llama-3-8b',
        chip: 'h100-sxm',
        chips: chips + idle,
        batchTokens: 8192,
        sequenceLength: 8192,
      },
    })
    const { network } = cluster
    if (network.kind === 'torus') throw new RangeError('H100 lie behind switches')
    const [first, ...others] = network.tiers
    const tiers = first ? [{ ...first, size: within }, ...others] : []
    const here = { ...network, tiers, chips: chips + idle }
    const { chips: _counted, ...endless } = here
    // Groups lie alike on more chips, and have another price there where they straddle nodes.
    for (const there of [{ ...here, chips: here.chips + more }, endless]) {
      const before = networkPrices(there, sets, assumptions)
      for (const placement of placements(there, mesh)) before.placed(placement, mesh)
    }
    const prices = networkPrices(here, sets, assumptions)
    for (const placement of placements(here, mesh)) {
      const costs = prices.placed(placement, mesh)
      for (const set of sets) {
        const there = axesOf(set).filter((axis) => mesh[axis] > 1)
        const group = union(
          there.map((axis) => placement.groups[axis]),
          'switched',
        )
        expect(costs[set]).toEqual(there.length > 0 ? groupCost(here, group, assumptions) : undefined)
      }
    }
  })
})

it('is never under a time that is known of few sizes, and mostly not far over it', () => {
  const sequence = { batchTokens: 64 * 1024, sequenceLength: 1024 }
  const models = [
    { model: 'llama-3-8b', chip: 'h100-sxm', chips: 64 },
    { model: 'mixtral-8x7b', chip: 'h100-sxm', chips: 64 },
    { model: 'mixtral-8x7b', chip: 'tpu-v5p', topology: [4, 4, 4] },
  ].map((on) => costModel(problem({ ...on, ...sequence })))
  let [asked, near] = [0, 0]
  const each = fc.integer({ min: 1, max: 200 })
  forAll(
    100,
    [fc.constantFrom(...models), size, size, size, each],
    (model, tensor, context, expert, many) => {
      const { experts } = model.problem.model
      const mesh: Mesh = { ...unitMesh, tensor, context, expert: experts ? expert : 1 }
      const scale = createScale()
      const sequences = many * replicasOf(mesh)
      const least = leastTime(meshFloors(model).turn, byReplica({ pipelined: false }))
      const time = meshFloors(model).turn(mesh, sequences, scale)
      expect(least(mesh, sequences, scale)).toBeLessThanOrEqual(time * (1 + 1e-12))
      asked++
      if (least(mesh, sequences, scale) > 0.9 * time) near++
    },
  )
  expect(near).toBeGreaterThan(asked / 2)
})
