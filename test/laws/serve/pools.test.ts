/** The parts of serving: pools, capacities, thresholds, transfers. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { generateCapacity, prefillCapacity } from '../../../src/modes/serve/capacity.ts'
import { holds, instanceClusters } from '../../../src/modes/serve/pool.ts'
import { leastThat } from '../../../src/threshold.ts'
import { forAll, law, whole } from '../../law.ts'
import { problem } from '../../problem.ts'

function pool(of: { readonly chip: string; readonly chips?: number; readonly topology?: readonly number[] }) {
  return problem({ model: 'llama-3.1-8b', batchTokens: 1, sequenceLength: 1, ...of }).cluster
}

const racks = ['gb200-nvl72', 'gb300-nvl72', 'vr200-nvl72']

function shapes(cluster: Cluster): readonly string[] {
  return instanceClusters(cluster).map(({ chips, network }) => {
    return network.kind === 'torus' ? `${network.topology.join('x')}/${network.slices}` : String(chips)
  })
}

/** Whether instances can be put on trays with so many chips left, one after another in all ways; one of more than a tray has whole ones. */
function haveTrays([size, ...others]: readonly number[], trays: readonly number[]): boolean {
  if (size === undefined) return true
  if (size > 4) {
    const empty = trays.filter((left) => left === 4)
    const rest = empty.slice(Math.ceil(size / 4))
    const enough = empty.length >= Math.ceil(size / 4)
    return enough && haveTrays(others, [...rest, ...trays.filter((left) => left < 4)])
  }
  return [...new Set(trays)].some((left) => {
    const at = trays.indexOf(left)
    return left >= size && haveTrays(others, trays.with(at, left - size))
  })
}

describe('the instances of a pool', () => {
  it('are parts of a node and whole nodes', () => {
    const sizes = [1, 2, 4, 8, 16, 24, 32, 48]
    expect(shapes(pool({ chip: 'h100-sxm', chips: 48 }))).toEqual(sizes.map(String))
  })

  it('are parts of a tray and whole trays, where a node is several', () => {
    const ofRack = [1, 2, 4, 8, 12, 16, 24, 32, 36, 64, 72, 144]
    for (const chip of racks) expect(shapes(pool({ chip, chips: 144 }))).toEqual(ofRack.map(String))
    expect(shapes(pool({ chip: 'gb200-nvl72', chips: 22 }))).toEqual(['1', '2', '4', '8', '12', '16', '20'])
    expect(shapes(pool({ chip: 'gb200-nvl72', chips: 6 }))).toEqual(['1', '2', '4'])
    expect(shapes(pool({ chip: 'gb200-nvl72', chips: 3 }))).toEqual(['1', '2', '3'])
  })

  law('are there in every larger pool of few nodes', 60, [whole(8, 39), whole(0, 31)], (chips, more) => {
    const larger = shapes(pool({ chip: 'h100-sxm', chips: Math.min(39, chips + more) }))
    for (const shape of shapes(pool({ chip: 'h100-sxm', chips }))) expect(larger).toContain(shape)
  })

  it('divide a pool that is less than a node', () => {
    expect(shapes(pool({ chip: 'h100-sxm', chips: 6 }))).toEqual(['1', '2', '3', '4', '6'])
  })

  it('are slices that can be had and tile the pool', () => {
    const own = shapes(pool({ chip: 'tpu-v5e', topology: [4, 8] }))
    expect(own).toEqual(['1x1/1', '2x2/1', '2x4/1', '4x4/1', '4x8/1'])
  })

  law('are there in twice the pool as well, of whole nodes', 60, [whole(1, 30)], (nodes) => {
    const twice = shapes(pool({ chip: 'h100-sxm', chips: 16 * nodes }))
    for (const shape of shapes(pool({ chip: 'h100-sxm', chips: 8 * nodes }))) expect(twice).toContain(shape)
  })

  it('fit, of two kinds that divide each other, exactly where their chips do', () => {
    const counts = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }))
    const sizes = fc.tuple(fc.constantFrom(1, 2, 4, 8, 16), fc.constantFrom(1, 2, 4, 8, 16))
    const all = pool({ chip: 'h100-sxm', chips: 64 })
    forAll(100, [counts, sizes], ([some, others], [large, small]) => {
      const kinds = [
        { cluster: { ...all, chips: large }, count: some },
        { cluster: { ...all, chips: small }, count: others },
      ]
      expect(holds(all, kinds)).toBe(some * large + others * small <= 64)
    })
  })

  it('do not straddle nodes', () => {
    const all = pool({ chip: 'h100-sxm', chips: 12 })
    expect(holds(all, [{ cluster: { ...all, chips: 6 }, count: 1 }])).toBe(true)
    expect(holds(all, [{ cluster: { ...all, chips: 6 }, count: 2 }])).toBe(false)
  })

  law(
    'fit on trays exactly where each has those that it needs, whichever of them',
    300,
    [whole(1, 40), fc.array(fc.tuple(whole(1, 9), whole(1, 6)), { minLength: 1, maxLength: 2 })],
    (chips, kinds) => {
      const all = pool({ chip: 'gb200-nvl72', chips })
      const instances = kinds.flatMap(([size, count]) => Array.from({ length: count }, () => size))
      const used = instances.reduce((sum, size) => sum + size, 0)
      const asked = kinds.map(([size, count]) => ({ cluster: { ...all, chips: size }, count }))
      const trays = Array.from({ length: Math.ceil(chips / 4) }, () => 4)
      expect(holds(all, asked)).toBe(used <= chips && haveTrays(instances, trays))
    },
  )

  it('share no slice where neither tiles the other', () => {
    const all = pool({ chip: 'tpu-v5e', topology: [16, 16] })
    const box = (topology: readonly number[]) => ({
      ...all,
      chips: 64,
      network: { ...all.network, topology, slices: 1 } as Cluster['network'],
    })
    expect(holds(all, [{ cluster: box([8, 8]), count: 4 }])).toBe(true)
    const mixed = [
      { cluster: box([8, 8]), count: 1 },
      { cluster: box([4, 16]), count: 3 },
    ]
    expect(holds(all, mixed)).toBe(false)
  })
})

describe('capacities', () => {
  it('give the book three prefill servers to a generate server', () => {
    const ratio = generateCapacity(32, 0.019, 512) / prefillCapacity(0.91, 1)
    expect(ratio).toBeCloseTo(2.9934, 4)
    expect(generateCapacity(43, 0.019, 512) / prefillCapacity(0.91, 1)).toBeCloseTo(4.0224, 4)
  })

  it('of an instance that does both are those of two that take turns', () => {
    const time = fc.double({ min: 1e-3, max: 10, noNaN: true })
    forAll(100, [fc.integer({ min: 1, max: 500 }), time, time], (batch, step, prefill) => {
      const apart = 1 / generateCapacity(batch, step, 100) + 1 / prefillCapacity(prefill, 1)
      expect(generateCapacity(batch, step, 100, prefill) * apart).toBeCloseTo(1, 9)
    })
  })
})

describe('the least that holds', () => {
  it('is found, or is none', () => {
    const numbers = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 400 }))
    forAll(100, [numbers], ([most, from]) => {
      expect(leastThat(most, (count) => count >= from)).toBe(from <= most ? from : null)
    })
  })
})
