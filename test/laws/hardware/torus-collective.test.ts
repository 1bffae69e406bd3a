/** Collectives on a torus: the time of each against the others, and against larger groups and slower links. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { type TorusPart, union } from '../../../src/hardware/network/group.ts'
import { closes } from '../../../src/hardware/network/torus-collective.ts'
import { law } from '../../law.ts'
import {
  bookTerms,
  finite,
  onTorus,
  termsOf,
  time,
  topologies,
  torus,
  torusGroups,
  W,
  whole,
} from './networks.ts'

describe('a collective on a torus', () => {
  it('costs nothing on one chip', () => {
    const cost = onTorus(torus([4, 4], true), [])
    expect(time(cost, 1e9)).toBe(0)
    expect([cost.allReducePerByte, cost.allToAllPerByte, cost.permutePerByte, cost.permuteLatency]).toEqual([
      0, 0, 0, 0,
    ])
  })

  law(
    'reduces in two passes, and scatters as it gathers',
    100,
    [torusGroups, termsOf],
    ({ network, parts, slices }, terms) => {
      const cost = onTorus(network, parts, terms, slices)
      expect(cost.allReducePerByte).toBe(2 * cost.perByte)
    },
  )

  law(
    'never beats the wire: (n-1)/n of the array comes in through the ports that a chip has',
    100,
    [torusGroups],
    ({ network, parts, slices }) => {
      const { chips, perByte } = onTorus(network, parts, finite, slices)
      const ports = 2 * network.topology.length * W + network.dcnBytesPerSecondPerChip
      expect(perByte).toBeGreaterThanOrEqual((((chips - 1) / chips) * (1 - 1e-12)) / ports)
    },
  )

  law(
    'takes longer in proportion to bytes, and in inverse proportion to bandwidth',
    100,
    [torusGroups, fc.double({ min: 1, max: 1e9, noNaN: true })],
    ({ network, parts, slices }, bytes) => {
      const terms = { ...finite, latencyFactor: 0 }
      const cost = onTorus(network, parts, terms, slices)
      expect(time(cost, 2 * bytes)).toBeCloseTo(2 * time(cost, bytes), 12)
      const faster = {
        ...network,
        linkBytesPerSecond: 2 * network.linkBytesPerSecond,
        dcnBytesPerSecondPerChip: 2 * network.dcnBytesPerSecondPerChip,
      }
      for (const key of ['perByte', 'allReducePerByte', 'allToAllPerByte', 'permutePerByte'] as const) {
        expect(onTorus(faster, parts, terms, slices)[key]).toBeCloseTo(cost[key] / 2, 18)
      }
    },
  )

  law(
    'takes at least the latency of its hops, however few the bytes',
    100,
    [torusGroups],
    ({ network, parts, slices }) => {
      const cost = onTorus(network, parts, finite, slices)
      expect(time(cost, 1)).toBeGreaterThanOrEqual(cost.latency)
      if (cost.chips > 1) expect(cost.latency).toBeGreaterThanOrEqual(1e-6)
    },
  )

  it.each([2, 4, 8, 16])('of %i chips in a line takes twice what a ring of them does', (n) => {
    const ring = onTorus(torus([n], true), [whole(0, n)])
    const line = onTorus(torus([n], false), [whole(0, n)])
    expect(line.perByte).toBeCloseTo(2 * ring.perByte, 20)
    expect(line.allToAllPerByte).toBeCloseTo(2 * ring.allToAllPerByte, 20)
  })

  it('takes V/2W in a ring of any size by the book, and V/4W on two axes', () => {
    expect(onTorus(torus([16, 16], true), [whole(0, 16)], bookTerms).perByte).toBe(1 / (2 * W))
    expect(onTorus(torus([16, 16], true), [whole(0, 16), whole(1, 16)], bookTerms).perByte).toBe(1 / (4 * W))
  })

  law(
    'never costs more with another whole axis',
    100,
    [topologies, fc.boolean(), termsOf],
    (topology, wraps, terms) => {
      const network = torus(topology, wraps)
      const parts = topology.map((size, physical) => whole(physical, size)).filter(({ size }) => size > 1)
      for (let count = 2; count <= parts.length; count++) {
        const [fewer, more] = [parts.slice(0, count - 1), parts.slice(0, count)]
        expect(onTorus(network, more, terms).perByte).toBeLessThanOrEqual(
          onTorus(network, fewer, terms).perByte * (1 + 1e-12),
        )
      }
    },
  )

  it('is no faster in two steps over the parts of an axis than in one over the whole', () => {
    for (const wraps of [true, false]) {
      for (const n of [4, 6, 8, 12, 16]) {
        for (const inner of divisorsOf(n).filter((size) => size > 1 && size < n)) {
          const network = torus([n], wraps)
          const first = { physical: 0, size: n / inner, stride: inner }
          const second = whole(0, inner)
          const stepwise = onTorus(network, [first]).perByte / inner + onTorus(network, [second]).perByte
          expect(stepwise).toBeGreaterThanOrEqual(onTorus(network, [whole(0, n)]).perByte * (1 - 1e-12))
        }
      }
    }
  })

  it('is no faster over parts of one axis that lie apart than over as many chips side by side', () => {
    for (const wraps of [true, false]) {
      for (const [n, a, b] of [
        [8, 2, 2],
        [12, 2, 2],
        [12, 2, 3],
        [12, 3, 2],
        [16, 2, 4],
        [16, 4, 2],
      ] as const) {
        const network = torus([n], wraps)
        for (const stride of divisorsOf(n / b).filter((apart) => apart >= 2 * a)) {
          const apart = onTorus(network, [whole(0, a), { physical: 0, size: b, stride }])
          const together = onTorus(network, [whole(0, a * b)])
          expect(apart.perByte).toBeGreaterThanOrEqual(together.perByte * (1 - 1e-12))
          expect(apart.allToAllPerByte).toBeGreaterThanOrEqual(together.allToAllPerByte * (1 - 1e-12))
        }
      }
    }
  })

  it('over parts that adjoin is one over the whole', () => {
    const network = torus([12], true)
    const parts = [
      { kind: 'torus', parts: [whole(0, 3)], slices: 1 },
      { kind: 'torus', parts: [{ physical: 0, size: 4, stride: 3 }], slices: 1 },
    ] as const
    expect(groupCost(network, union(parts, 'torus'), finite)).toEqual(onTorus(network, [whole(0, 12)]))
  })

  law(
    'keeps no part of the network busy for longer than it takes',
    100,
    [torusGroups, termsOf],
    ({ network, parts, slices }, terms) => {
      const cost = onTorus(network, parts, terms, slices)
      expect(Math.max(...cost.loads)).toBe(cost.perByte)
      expect(Math.max(...cost.permuteLoads)).toBe(cost.permutePerByte)
      expect(Math.max(...cost.allToAllLoads)).toBe(cost.allToAllPerByte)
    },
  )

  it('sends over DCN what each chip of a slice holds, of a part of an axis as of a whole one', () => {
    const parts = [whole(0, 4), whole(1, 2)]
    expect(onTorus(torus([4, 4], true, 4), parts, finite, 4).perByte).toBeCloseTo(0.75 / (4 * 2) / 3e9, 20)
  })

  it('sends to a neighbour as many hops away as its members are apart', () => {
    const apart = onTorus(torus([8], true), [{ physical: 0, size: 2, stride: 4 }])
    expect(apart.permuteLatency).toBeCloseTo(4e-6, 12)
    expect(apart.permutePerByte).toBeCloseTo(4 / W, 20)
  })

  it('is slower where chips of several slices must meet over DCN', () => {
    const network = torus([4, 4], true, 4)
    const parts = [whole(0, 4), whole(1, 4)]
    expect(onTorus(network, parts, finite, 4).perByte).toBeGreaterThan(onTorus(network, parts).perByte)
    expect(onTorus(network, parts, finite, 4).perByte).toBeCloseTo(0.75 / 16 / 3e9, 20)
  })
})

/** Every order of a list. */
function orders<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items]
  return items.flatMap((first) =>
    orders(items.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  )
}

describe('a gather over unlike axes of a torus', () => {
  const unlike = fc
    .record({
      sizes: fc.array(fc.constantFrom(2, 3, 4, 8, 16), { minLength: 2, maxLength: 3 }),
      wraps: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    })
    .map(({ sizes, wraps }) => {
      const network: TorusNetwork = { ...torus(sizes, true), wraps: wraps.slice(0, sizes.length) }
      const parts = sizes.map((size, physical) => whole(physical, size))
      return { network, parts }
    })

  const rateOf = (network: TorusNetwork, part: TorusPart) =>
    ((closes(network, part) ? 2 : 1) * W) / part.stride

  /** Seconds per byte that each axis is busy if all goes by one order. */
  const inOrder = (network: TorusNetwork, order: readonly TorusPart[]) => {
    let dividedBy = order.reduce((chips, { size }) => chips * size, 1)
    const busy = new Map<number, number>()
    for (const part of order) {
      dividedBy /= part.size
      busy.set(part.physical, (1 - 1 / part.size) / dividedBy / rateOf(network, part))
    }
    return busy
  }

  law('takes as long as the best mixture of orders of its axes', 60, [unlike], ({ network, parts }) => {
    const { perByte } = onTorus(network, parts)
    const ways = orders(parts).map((order) => inOrder(network, order))
    for (const busy of ways) expect(perByte).toBeLessThanOrEqual(Math.max(...busy.values()) * (1 + 1e-12))
    // In units of what one link takes for the whole array.
    const mixture = javascriptLpSolver({
      variables: [{ name: 'time', cost: 1 }, ...ways.map((_, way) => ({ name: `share ${way}`, cost: 0 }))],
      rows: [
        { name: 'all', terms: shares(ways.map(() => 1)), lower: 1, upper: 1 },
        ...parts.map(({ physical }) => ({
          name: `axis ${physical}`,
          terms: { time: -1, ...shares(ways.map((busy) => (busy.get(physical) ?? 0) * W)) },
          upper: 0,
        })),
      ],
    })
    if (!('point' in mixture)) throw new RangeError(mixture.status)
    expect(perByte * W).toBeCloseTo(mixture.point.objective, 9)
  })

  const shares = (terms: readonly number[]) =>
    Object.fromEntries(terms.map((term, way) => [`share ${way}`, term]))

  law('is the same in whichever order its axes are named', 60, [unlike], ({ network, parts }) => {
    const times = orders(parts).map((order) => onTorus(network, order).perByte * W)
    for (const one of times) expect(one).toBeCloseTo(times[0] ?? 0, 12)
  })

  law('brings in each byte once, along one axis or another', 60, [unlike], ({ network, parts }) => {
    const { loads, chips } = onTorus(network, parts)
    const brought = parts.reduce((sum, part) => sum + (loads[part.physical] ?? 0) * rateOf(network, part), 0)
    expect(brought).toBeCloseTo(1 - 1 / chips, 12)
  })

  law('keeps no axis less busy where an axis does not close', 60, [unlike], ({ network, parts }) => {
    const rings = onTorus({ ...network, wraps: network.wraps.map(() => true) }, parts)
    onTorus(network, parts).loads.forEach((seconds, axis) => {
      expect(seconds).toBeGreaterThanOrEqual((rings.loads[axis] ?? 0) * (1 - 1e-12))
    })
  })

  law(
    'keeps no axis less busy where chips of a part lie apart',
    100,
    [torusGroups, termsOf],
    ({ network, parts, slices }, terms) => {
      const near = parts.map((part) => ({ ...part, stride: 1 }))
      const apart = onTorus(network, parts, terms, slices)
      onTorus(network, near, terms, slices).loads.forEach((seconds, axis) => {
        expect(apart.loads[axis] ?? 0).toBeGreaterThanOrEqual(seconds * (1 - 1e-9))
      })
    },
  )

  it('uses all three ports at the corners of a line of 8 by a ring of 16', () => {
    const network = { ...torus([8, 16], true), wraps: [false, true] }
    const all = [whole(0, 8), whole(1, 16)]
    expect(onTorus(network, all).perByte).toBeCloseTo(127 / 128 / (3 * W), 20)
    expect(onTorus(network, all, bookTerms).perByte).toBeLessThan(
      onTorus(network, [whole(1, 16)], bookTerms).perByte,
    )
  })

  it('gathers parts of axes first, in the time that the slowest of them needs', () => {
    const network = torus([32, 8, 4], true)
    const slow = { physical: 0, size: 2, stride: 8 }
    const { loads } = onTorus(network, [slow, whole(1, 4), whole(2, 4)])
    expect(loads[0]).toBeCloseTo(((1 / 2 / 4) * 8) / W / 4, 20)
    expect(loads[1]).toBeCloseTo(3 / 4 / W / 4, 20)
    expect(loads[2]).toBeCloseTo(3 / 4 / (2 * W), 20)
  })
})
