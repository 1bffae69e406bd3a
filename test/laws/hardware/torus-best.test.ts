/** Best cases on a torus: no placement of a mesh costs less, and what they say of replicas is the same for all meshes that say it is. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { torusBest } from '../../../src/cost/communication/torus-best.ts'
import type { TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { factorings } from '../../../src/hardware/cluster/factorings.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import type { GroupCost } from '../../../src/hardware/network/group-cost.ts'
import { unorderedNestings } from '../../../src/hardware/network/nesting.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import { axes, axesAcrossSlices, axisBit, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { forAll, law } from '../../law.ts'
import { bookTerms, finite, torus } from './networks.ts'

const tori = fc.constantFrom(
  ...[
    [4, 4],
    [2, 6],
    [4, 6, 10],
    [4, 4, 4],
    [6, 6],
    [2, 4, 8],
    [12, 12, 12],
  ].map((lengths) => torus(lengths, true)),
  torus([4, 10], false),
  torus([2, 4, 4], true, 2),
  torus([4, 4], true, 3),
)

const chipsOf = ({ topology, slices }: TorusNetwork) =>
  topology.reduce((chips, length) => chips * length, slices)

/** Any mesh of all chips, over up to five axes. */
const onTorus = fc
  .record({
    network: tori,
    used: fc.shuffledSubarray([...axes], { minLength: 1, maxLength: 5 }),
    at: fc.nat(1e6),
  })
  .map(({ network, used, at }) => {
    const chips = chipsOf(network)
    const all = factorings(
      chips,
      used.map(() => chips),
    )
    const sizes = all[at % all.length] ?? []
    const mesh: Mesh = { ...unitMesh, ...Object.fromEntries(used.map((axis, index) => [axis, sizes[index]])) }
    return { network, mesh }
  })

const terms = fc.constantFrom(finite, bookTerms)
const sets = axes.flatMap((axis, at) => [
  axisBit[axis],
  ...axes.slice(at + 1).map((other) => axisBit[axis] | axisBit[other]),
])

const mean = (loads: readonly number[]) =>
  loads.slice(0, -1).reduce((sum, load) => sum + load, 0) / (loads.length - 1)

/** All that a collective may take, of which none may be more at best. */
const measures = {
  gather: ({ perByte }: GroupCost) => perByte,
  allReduce: ({ allReducePerByte }: GroupCost) => allReducePerByte,
  allToAll: ({ allToAllPerByte }: GroupCost) => allToAllPerByte,
  permute: ({ permutePerByte }: GroupCost) => permutePerByte,
  latency: ({ latency }: GroupCost) => latency,
  permuteLatency: ({ permuteLatency }: GroupCost) => permuteLatency,
  loads: ({ loads }: GroupCost) => mean(loads),
  allToAllLoads: ({ allToAllLoads }: GroupCost) => mean(allToAllLoads),
  permuteLoads: ({ permuteLoads }: GroupCost) => mean(permuteLoads),
}

describe('at best', () => {
  it('no placement costs less, over one axis or over two', () => {
    let closer = 0
    forAll(400, [onTorus, terms], ({ network, mesh }, own) => {
      const prices = networkPrices(network, sets, own)
      const cases = prices.bestCases(mesh)
      const bySize = prices.bySize(mesh)
      for (const placement of placements(network, mesh)) {
        const placed = prices.placed(placement, mesh)
        // Where axes cross slices, one of the cases is of the way in which they do.
        const isUnder = cases.map((costs) =>
          sets.every((set) => {
            const [best, there] = [costs[set], placed[set]]
            if (!best || !there) return best === there
            return Object.values(measures).every((of) => of(best) <= of(there) * (1 + 1e-12))
          }),
        )
        expect(isUnder).toContain(true)
      }
      for (const axis of axes.filter((one) => !axesAcrossSlices.includes(one))) {
        const [best, sized] = [cases[0]?.[axisBit[axis]], bySize[axisBit[axis]]]
        if (best && sized) expect(sized.perByte).toBeLessThanOrEqual(best.perByte * (1 + 1e-12))
        if (best && sized && sized.perByte < best.perByte) closer++
      }
    })
    expect(closer).toBeGreaterThan(20)
  })

  law(
    'meshes of one kind with like replicas cost the same inside of these',
    200,
    [onTorus, onTorus, terms],
    (one, two, own) => {
      const { network } = one
      const best = torusBest(network, own)
      const { tensor, tensor2, context, expert } = one.mesh
      const rest = chipsOf(network) / (tensor * tensor2 * context * expert)
      const alike = [
        one.mesh,
        { ...one.mesh, data: rest, fsdp: 1, pipeline: 1 },
        { ...one.mesh, data: 1, fsdp: 1, pipeline: rest },
        two.mesh,
      ]
      const kinds = new Map<string, unknown>()
      for (const mesh of alike) {
        const { costs, kind } = best.ofReplica(mesh)
        const key = [kind, mesh.tensor, mesh.tensor2, mesh.context, mesh.expert].join()
        expect(kinds.get(key) ?? costs).toEqual(costs)
        kinds.set(key, costs)
      }
    },
  )

  it('eight chips of 16x20x28 lie along one axis, where all axes of a mesh have a part', () => {
    const network = torus([16, 20, 28], true)
    const costOf = (mesh: Partial<Mesh>) => torusBest(network, bookTerms).ofReplica({ ...unitMesh, ...mesh })
    const along = groupCost(
      network,
      { kind: 'torus', parts: [{ physical: 0, size: 8, stride: 1 }], slices: 1 },
      bookTerms,
    )
    const { costs } = costOf({ data: 560, tensor: 8, pipeline: 2 })
    expect(costs[axes.indexOf('tensor')]?.perByte).toBe(along.perByte)
    expect(torusBest(network, bookTerms).ofSize(8, 1).perByte).toBeLessThan(along.perByte / 2)
    expect(costOf({ tensor: 8 })).toEqual({ costs: [], kind: 0 })
  })
})

law(
  'axes may take in any order what they may take in one',
  100,
  [onTorus],
  ({ network: { slices: _, ...slice }, mesh }) => {
    const network: TorusNetwork = { ...slice, slices: 1 }
    const within = axes.map((axis) => mesh[axis]).filter((size) => size > 1)
    if (within.reduce((chips, size) => chips * size, 1) !== chipsOf(network)) return
    const active = axes.filter((axis) => mesh[axis] > 1)
    const placed = new Set<string>()
    for (const { groups } of placements(network, mesh)) {
      active.forEach((axis, index) => {
        const group = groups[axis]
        if (group.kind === 'torus')
          placed.add(`${index} ${[...group.parts].map(({ physical, size }) => `${physical}:${size}`).sort()}`)
      })
    }
    const unordered = unorderedNestings(network, within).flatMap((chosen) =>
      within.map(
        (_size, index) =>
          `${index} ${chosen.flatMap((nest, physical) => nest.filter((part) => part.index === index).map(({ size }) => `${physical}:${size}`)).sort()}`,
      ),
    )
    for (const own of unordered) expect(placed).toContain(own)
  },
)
