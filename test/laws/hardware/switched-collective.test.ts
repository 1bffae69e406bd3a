/** Collectives behind switches: inside a node, beyond it, and in domains that the chips do not fill. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectiveEstimate } from '../../../src/collectives.ts'
import type { Tier } from '../../../src/hardware/chip.ts'
import type { SwitchedNetwork } from '../../../src/hardware/cluster/cluster.ts'
import type { GroupCost } from '../../../src/hardware/network/group-cost.ts'
import { tiersCrossed } from '../../../src/hardware/network/switched-collective.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { finite, leaf, node, onRanks, sizes, spine, switched, time } from './networks.ts'

/** How many members of each group of consecutive chips lie on each node. */
function partsOf(members: number, size: number, groups: number): readonly number[] {
  const parts = new Map<string, number>()
  for (let chip = 0; chip < members * groups; chip++) {
    const where = `${Math.floor(chip / members)} ${Math.floor(chip / size)}`
    parts.set(where, (parts.get(where) ?? 0) + 1)
  }
  return [...parts.values()]
}

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

  it('takes what the worst placed of all groups takes, be the nodes divided by groups or not', () => {
    for (const size of [2, 3, 4, 6, 8, 12, 72]) {
      const tiers = [
        { ...node, size, bytesPerSecondPerChip: 1e15 },
        { ...leaf, size: null },
      ]
      for (let members = 2; members <= 300; members++) {
        const groups = 1 + ((7 * members) % (2 * size))
        const network = { ...switched, tiers, chips: members * groups }
        const { perByte, allToAllPerByte } = onRanks(members, 1, finite, network)
        const parts = partsOf(members, size, groups).filter((part) => part < members)
        const gathers = parts.map((part) => (members - part) / (members * part * leaf.bytesPerSecondPerChip))
        const sends = parts.map((part) => (members - part) / (members ** 2 * leaf.bytesPerSecondPerChip))
        const inside = (members - 1) / (members * 1e15)
        expect(perByte / Math.max(inside, ...gathers)).toBeCloseTo(1, 9)
        expect(allToAllPerByte / Math.max(inside / members, ...sends)).toBeCloseTo(1, 9)
      }
    }
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

  it('counts nodes by the fewest members that a node may have of a group', () => {
    const two = { ...switched, tiers: [node, { ...spine, bytesPerSecondPerChip: 50e9 }] }
    // Every third rank: from the third of a node on, two of it and then three of the next.
    expect(onRanks(8, 3, finite, two).loads[1]).toBeCloseTo(3 / 4 / 2 / 50e9, 20)
  })

  it('of a server crosses its node at once, and beyond it sends to all at once and gathers in turn', () => {
    const { latency, allToAllLatency, allReduceLatency } = onRanks(64, 1, { ...finite, directSeconds: 5e-7 })
    expect(allToAllLatency).toBeCloseTo(5e-7 + 4e-6 + 4e-6, 12)
    expect(latency).toBeCloseTo(5e-7 + 3 * 4e-6 + 4e-6, 12)
    expect(allReduceLatency).toBeCloseTo(2 * (5e-7 + 2 * 4e-6 + 4e-6), 12)
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

it('crosses the tiers that its price is of, straddling or not', () => {
  for (const chips of [64, 144, 1000]) {
    for (const size of [2, 3, 8, 9, 12, 16, 24]) {
      for (const stride of [1, 2, 3, 4, 8]) {
        if (chips % (size * stride) !== 0) continue
        const network = { ...switched, chips }
        const group = { kind: 'switched' as const, spans: [{ size, stride }] }
        const priced = onRanks(size, stride, finite, network).permuteLoads.flatMap((load, level) =>
          load > 0 ? [level] : [],
        )
        expect(tiersCrossed(network, group), `${size} x ${stride} of ${chips}`).toEqual(priced)
        // Ranks that lie apart are not said to be together.
        const last = (size - 1) * stride
        if (last >= 8) expect(priced.some((level) => level > 0)).toBe(true)
      }
    }
  }
})
