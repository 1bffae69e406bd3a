import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectiveEstimate } from '../../../src/collectives.ts'
import type { Tier } from '../../../src/hardware/chip.ts'
import type { SwitchedNetwork, TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { collectiveTime, groupCost } from '../../../src/hardware/network/collective.ts'
import { type TorusPart, union } from '../../../src/hardware/network/group.ts'
import type { GroupCost, NetworkTerms } from '../../../src/hardware/network/group-cost.ts'
import { closes } from '../../../src/hardware/network/torus-collective.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'

const W = 4.5e10
const finite: NetworkTerms = {
  finiteRings: true,
  scaleUpEfficiency: 1,
  scaleUpHalfBytes: 0,
  scaleOutEfficiency: 1,
  latencyFactor: 1,
  inNetworkReduction: false,
}
const bookTerms: NetworkTerms = { ...finite, finiteRings: false, latencyFactor: 0 }

function torus(topology: readonly number[], wraps: boolean, slices = 1): TorusNetwork {
  return {
    kind: 'torus',
    topology,
    wraps: topology.map(() => wraps),
    linkBytesPerSecond: W,
    hopSeconds: 1e-6,
    slices,
    dcnBytesPerSecondPerChip: 3e9,
    dcnLatencySeconds: 1e-5,
  }
}

const node: Tier = {
  name: 'node',
  size: 8,
  bytesPerSecondPerChip: 450e9,
  latencySeconds: 1e-6,
  inNetworkReduction: true,
}
const leaf: Tier = {
  name: 'leaf',
  size: 4,
  bytesPerSecondPerChip: 50e9,
  latencySeconds: 4e-6,
  inNetworkReduction: true,
}
const spine: Tier = { ...leaf, name: 'spine', size: null, bytesPerSecondPerChip: 30e9 }
const switched: SwitchedNetwork = { kind: 'switched', tiers: [node, leaf, spine] }

const whole = (physical: number, size: number): TorusPart => ({ physical, size, stride: 1 })
const onTorus = (network: TorusNetwork, parts: readonly TorusPart[], terms = finite, slices = 1) =>
  groupCost(network, { kind: 'torus', parts, slices }, terms)
const onRanks = (size: number, stride = 1, terms = finite, network = switched) =>
  groupCost(network, { kind: 'switched', spans: size > 1 ? [{ size, stride }] : [] }, terms)

const topologies = fc.array(fc.constantFrom(1, 2, 3, 4, 6, 8, 16), { minLength: 1, maxLength: 3 })
const termsOf = fc.record({
  finiteRings: fc.boolean(),
  scaleUpEfficiency: fc.double({ min: 0.3, max: 1, noNaN: true }),
  scaleUpHalfBytes: fc.constantFrom(0, 1e7),
  scaleOutEfficiency: fc.double({ min: 0.3, max: 1, noNaN: true }),
  latencyFactor: fc.constantFrom(0, 1, 2),
  inNetworkReduction: fc.constant(false),
})

/** A torus, and on each of its axes a part: sizes and strides that a placement could give. */
const torusGroups = fc
  .record({
    topology: topologies,
    wraps: fc.boolean(),
    slices: fc.constantFrom(1, 2, 5),
    seed: fc.infiniteStream(fc.nat(1000)),
  })
  .map(({ topology, wraps, slices, seed }) => {
    const draw = <Item>(items: readonly Item[]): Item => items[seed.next().value % items.length] as Item
    const parts = topology.map((length, physical) => {
      const size = draw(divisorsOf(length))
      return { physical, size, stride: draw(divisorsOf(length / size)) }
    })
    const network = torus(topology, wraps, slices)
    return { network, parts: parts.filter(({ size }) => size > 1), slices: draw([1, slices]) }
  })

const sizes = fc.constantFrom(2, 4, 8, 16, 32, 64, 128, 512)

function time(cost: GroupCost, bytes: number): number {
  return collectiveTime(bytes, cost.perByte, cost.latency, cost.latencyIsFloor)
}

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
    },
  )

  it('is slower where chips of several slices must meet over DCN', () => {
    const network = torus([4, 4], true, 4)
    const parts = [whole(0, 4), whole(1, 4)]
    expect(onTorus(network, parts, finite, 4).perByte).toBeGreaterThan(onTorus(network, parts).perByte)
    expect(onTorus(network, parts, finite, 4).perByte).toBeCloseTo(0.75 / 16 / 3e9, 20)
  })
})

/**
 * Store and forward: in one step a link carries one half-shard one way. Every chip sends one half of what is new to
 * it round the one way, the other half round the other; on a line both halves go both ways.
 */
function gatherSteps(n: number, ring: boolean): number {
  const halves = 2
  const held = Array.from({ length: n }, (_, chip) => new Set([0, 1].map((half) => chip * halves + half)))
  const done = () => held.every((chunks) => chunks.size === n * halves)
  let steps = 0
  while (!done()) {
    const arrivals: { readonly to: number; readonly chunk: number }[] = []
    for (let chip = 0; chip < n; chip++) {
      for (const direction of [1, -1]) {
        const to = ring ? (chip + direction + n) % n : chip + direction
        if (to < 0 || to >= n) continue
        const way = direction === 1 ? 0 : 1
        const missing = [...(held[chip] ?? [])].find(
          (chunk) => !held[to]?.has(chunk) && (!ring || n === 2 || chunk % halves === way),
        )
        if (missing !== undefined) arrivals.push({ to, chunk: missing })
      }
    }
    for (const { to, chunk } of arrivals) held[to]?.add(chunk)
    steps++
  }
  return steps
}

/** Chunks over the busiest link one way, where each pair of chips exchanges one and goes the shorter way round. */
function busiestLink(n: number, ring: boolean): number {
  const load = new Array<number>(n).fill(0)
  for (let from = 0; from < n; from++) {
    for (let to = 0; to < n; to++) {
      const forwards = ring ? (to - from + n) % n : to - from
      const backwards = ring ? (from - to + n) % n : from - to
      const share = ring && forwards === backwards ? 0.5 : 1
      const goes = ring ? forwards > 0 && forwards <= backwards : forwards > 0
      if (goes)
        for (let hop = 0; hop < forwards; hop++)
          load[(from + hop) % n] = (load[(from + hop) % n] ?? 0) + share
    }
  }
  return Math.max(...load)
}

describe('the formulas, simulated', () => {
  it.each([3, 4, 5, 6, 7, 8, 12])('a gather on a ring of %i takes as many steps as it says', (n) => {
    const step = 1 / (2 * n) / W
    expect(onTorus(torus([n], true), [whole(0, n)]).perByte).toBeCloseTo(gatherSteps(n, true) * step, 20)
  })

  it.each([2, 3, 4, 5, 8, 12])('a gather on a line of %i takes as many steps as it says', (n) => {
    const step = 1 / (2 * n) / W
    expect(onTorus(torus([n], false), [whole(0, n)]).perByte).toBeCloseTo(gatherSteps(n, false) * step, 20)
  })

  it.each([2, 4, 6, 8, 16])('an all-to-all on a ring or a line of %i fills its busiest link', (n) => {
    for (const ring of [true, false]) {
      const perByte = busiestLink(n, ring) / n ** 2 / W
      expect(onTorus(torus([n], ring), [whole(0, n)]).allToAllPerByte).toBeCloseTo(perByte, 20)
    }
  })

  it.each([3, 5, 7])('an all-to-all on an odd ring of %i is not taken for faster than it is', (n) => {
    const perByte = busiestLink(n, true) / n ** 2 / W
    const { allToAllPerByte } = onTorus(torus([n], true), [whole(0, n)])
    expect(allToAllPerByte).toBeGreaterThanOrEqual(perByte)
    expect(allToAllPerByte).toBeLessThan(1.2 * perByte)
  })

  it('closes a part exactly where its last chip is as far from its first as from the one before', () => {
    const network = torus([12], true)
    for (const size of divisorsOf(12).filter((count) => count > 1)) {
      for (const stride of divisorsOf(12 / size)) {
        const last = (size - 1) * stride
        expect(closes(network, { physical: 0, size, stride })).toBe((last + stride) % 12 === 0)
      }
    }
  })
})

describe('a collective behind switches', () => {
  it('costs nothing on one chip', () => {
    const cost = onRanks(1)
    expect(time(cost, 1e9)).toBe(0)
    expect([cost.allReducePerByte, cost.allToAllPerByte, cost.permutePerByte]).toEqual([0, 0, 0])
  })

  law(
    'reduces in two passes where no switch does',
    100,
    [sizes, fc.constantFrom(1, 2, 4, 8, 16)],
    (size, stride) => {
      const cost = onRanks(size, stride)
      expect(cost.allReducePerByte).toBe(2 * cost.perByte)
    },
  )

  law(
    'reduces faster, or as fast, in the switches',
    100,
    [sizes, fc.constantFrom(1, 2, 4, 8, 16)],
    (size, stride) => {
      const plain = onRanks(size, stride)
      const sharp = onRanks(size, stride, { ...finite, inNetworkReduction: true })
      expect(sharp.perByte).toBe(plain.perByte)
      expect(sharp.allReducePerByte).toBeLessThanOrEqual(plain.allReducePerByte)
    },
  )

  it('reduces in V/W inside a node whose switch does', () => {
    const sharp = onRanks(8, 1, { ...finite, inNetworkReduction: true })
    expect(sharp.allReducePerByte).toBeCloseTo(1 / 450e9, 20)
  })

  law('never beats the wire', 100, [sizes, fc.constantFrom(1, 2, 4, 8, 16, 64)], (size, stride) => {
    const { chips, perByte } = onRanks(size, stride)
    // The book's model takes each tier for a port of its own.
    const ports = switched.tiers.reduce((sum, tier) => sum + tier.bytesPerSecondPerChip, 0)
    expect(perByte).toBeGreaterThanOrEqual((((chips - 1) / chips) * (1 - 1e-12)) / ports)
  })

  it('is slower beyond a node than inside one, whether or not a group divides nodes and chips', () => {
    const { cluster, assumptions } = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 64, batchTokens: 8192, sequenceLength: 1024 },
    })
    const over = (groupSize: number) => {
      const found = collectiveEstimate({
        cluster,
        op: 'AllReduce',
        bytes: 1e9,
        over: { groupSize },
        assumptions,
      })
      if ('problem' in found) throw new Error(found.problem.detail)
      return found
    }
    for (let groupSize = 9; groupSize <= 64; groupSize++) {
      expect(over(groupSize).seconds).toBeGreaterThan(over(8).seconds)
    }
  })

  it('takes no less for a larger group, among those that fill their nodes', () => {
    for (const stride of [1, 2, 4, 8]) {
      const times = [2, 4, 8, 16, 32, 64, 128, 512].map((size) => onRanks(size, stride))
      for (const key of ['perByte', 'allReducePerByte', 'latency'] as const) {
        const values = times.map((cost) => cost[key])
        expect(values).toEqual([...values].sort((a, b) => a - b))
      }
    }
  })

  it('of a server takes as long as a ring where no kernel reaches all chips of a node at once', () => {
    const bus: SwitchedNetwork = { kind: 'switched', tiers: [{ ...node, direct: false }, leaf, spine] }
    const size = fc.constantFrom(2, 4, 8, 16, 32)
    forAll(100, [size, fc.double({ min: 1e-7, max: 1e-6, noNaN: true })], (chips, directSeconds) => {
      const served = { ...finite, directSeconds }
      const [ring, direct] = [bus, switched].map((network) => onRanks(chips, 1, served, network))
      const { latency, allReduceLatency, allToAllLatency, ...rates } = ring as GroupCost
      expect(ring).toMatchObject({ latency: onRanks(chips).latency, ...rates })
      expect(allReduceLatency).toBe(onRanks(chips).allReduceLatency)
      expect(latency).toBeGreaterThanOrEqual(direct?.latency ?? Number.NaN)
      expect(allToAllLatency).toBeGreaterThanOrEqual(direct?.allToAllLatency ?? Number.NaN)
      expect(onRanks(chips, 1, finite, bus)).toEqual(onRanks(chips))
    })
  })

  it("takes the slowest tier of D-1 over D members below it and the tier's rate", () => {
    const { perByte } = onRanks(512)
    const tiers = [7 / 8 / 450e9, 3 / 4 / 8 / 50e9, 15 / 16 / 32 / 30e9]
    expect(perByte).toBeCloseTo(Math.max(...tiers), 20)
  })

  it('gains nothing end to end from an inner axis inside the node, and gains with the nodes beyond', () => {
    const two = { ...switched, tiers: [node, { ...spine, bytesPerSecondPerChip: 50e9 }] }
    const outer = (inner: number) => onRanks(64, inner, finite, two).perByte / inner
    expect(outer(8)).toBeCloseTo(63 / 64 / 8 / 50e9, 18)
    expect(outer(16)).toBeCloseTo(outer(8) / 2, 18)
  })

  it.each([
    1, 2, 3, 4, 6, 8, 12, 24,
  ])('loads the tier beyond the node where some group of %i leaves it', (size) => {
    const network: SwitchedNetwork = { kind: 'switched', tiers: [node, spine] }
    for (const stride of [1, 2, 3, 4, 6, 8, 12]) {
      const [, beyond] = onRanks(size, stride, finite, network).loads
      expect((beyond ?? 0) > 0).toBe(someGroupLeavesItsNode(size, stride))
    }
  })
})

describe('a domain that the chips do not fill', () => {
  const domain: Tier = { ...node, size: 72 }

  it('is left by no group of them, whether or not the group divides it', () => {
    for (const size of [2, 4, 16, 32, 64]) {
      const network: SwitchedNetwork = { kind: 'switched', tiers: [domain, spine], chips: 64 }
      expect(onRanks(size, 1, finite, network).loads[1]).toBe(0)
    }
  })

  it('is left where there are more chips than it holds', () => {
    const network: SwitchedNetwork = { kind: 'switched', tiers: [domain, spine], chips: 144 }
    expect(onRanks(16, 1, finite, network).loads[1]).toBeGreaterThan(0)
  })
})

function someGroupLeavesItsNode(size: number, stride: number): boolean {
  return Array.from({ length: 24 * size * stride }, (_, rank) => rank).some((rank) => {
    const first = rank - (Math.floor(rank / stride) % size) * stride
    return Math.floor(rank / 8) !== Math.floor(first / 8)
  })
}
