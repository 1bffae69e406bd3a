import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TorusSystem } from '../../../src/hardware/chip.ts'
import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import {
  nearestChipCounts,
  sliceProblem,
  slicesOf,
  slicesWithin,
  squarestSlice,
  wraparound,
} from '../../../src/hardware/cluster/slice.ts'
import { catalogueChip } from '../../catalogue.ts'
import { forAll, law } from '../../law.ts'

const tpus = ['tpu-v3', 'tpu-v4', 'tpu-v5e', 'tpu-v5p', 'tpu-v6e', 'tpu-7x']

const chip = (name: string) => catalogueChip(name, 'calibrated')

function torus(name: string): TorusSystem {
  const { system } = chip(name)
  if (system.kind !== 'torus') throw new Error(`${name} is not a torus`)
  return system
}

const product = (box: readonly number[]) => box.reduce((chips, edge) => chips * edge, 1)

describe('wraparound', () => {
  it.each([
    ['tpu-v5e', [8, 16], [false, true]],
    ['tpu-v5e', [16, 16], [true, true]],
    ['tpu-v5e', [2, 2], [false, false]],
    ['tpu-v6e', [4, 8], [false, false]],
    ['tpu-v6e', [8, 16], [false, true]],
    ['tpu-v5p', [2, 2, 1], [false, false, false]],
    ['tpu-v5p', [2, 2, 2], [false, false, false]],
    ['tpu-v5p', [2, 2, 4], [false, false, false]],
    ['tpu-v4', [4, 4, 4], [true, true, true]],
    ['tpu-v5p', [4, 4, 8], [true, true, true]],
    ['tpu-v5p', [16, 20, 28], [true, true, true]],
    ['tpu-v3', [16, 32], [false, true]],
  ])('of %s %j is %j', (name, topology, wraps) => {
    expect(wraparound(torus(name), topology)).toEqual(wraps)
  })

  it('counts an axis that is left out as one chip', () => {
    expect(wraparound(torus('tpu-v4'), [4, 4])).toEqual([false, false, false])
  })
})

describe('a slice', () => {
  it.each([
    ['tpu-v5e', [1, 1]],
    ['tpu-v5e', [16, 8]],
    ['tpu-v6e', [4, 4]],
    ['tpu-v3', [32, 32]],
    ['tpu-v4', [2, 2]],
    ['tpu-v4', [2, 2, 1]],
    ['tpu-v4', [12, 12, 24]],
    ['tpu-v4', [16, 16, 16]],
    ['tpu-v5p', [1, 1, 1]],
    ['tpu-v5p', [4, 2, 4]],
    ['tpu-v5p', [4, 8, 188]],
    ['tpu-v5p', [8, 16, 48]],
    ['tpu-v5p', [16, 20, 28]],
    ['tpu-7x', [16, 24, 24]],
    ['tpu-7x', [4, 4, 576]],
  ])('of %s can be %j', (name, topology) => {
    expect(sliceProblem(torus(name), topology)).toBeNull()
  })

  it.each([
    ['tpu-v5p', [3, 5, 7], [[4, 4, 8]]],
    ['tpu-v5p', [2, 2, 8], [[2, 2, 4]]],
    ['tpu-v5p', [2, 4, 8], [[4, 4, 8]]],
    ['tpu-v4', [1, 1, 1], [[2, 2, 1]]],
    ['tpu-v4', [16, 16, 20], [[16, 16, 16]]],
    ['tpu-v5p', [64, 64, 64], [[16, 20, 28]]],
    ['tpu-7x', [16, 24, 28], [[16, 24, 24]]],
    ['tpu-v5e', [4, 16], [[8, 8]]],
    ['tpu-v5e', [32, 32], [[16, 16]]],
    ['tpu-v6e', [4, 4, 4], [[8, 8]]],
    ['tpu-v3', [32, 16, 1], [[16, 32]]],
  ])('of %s cannot be %j; %j is suggested', (name, topology, suggested) => {
    const problem = sliceProblem(torus(name), topology)
    expect(problem?.nearest).toEqual(expect.arrayContaining(suggested))
  })

  it.each([[[]], [[0, 4]], [[-4, 4]], [[4.5, 4]], [[Number.NaN, 4]]])('is not %j', (topology) => {
    expect(sliceProblem(torus('tpu-v5e'), topology)?.reason).toContain('at least 1')
  })

  law(
    'may have its axes in any order',
    100,
    [fc.constantFrom(...tpus), fc.integer({ min: 1, max: 2048 })],
    (name, next) => {
      const boxes = nearestChipCounts(torus(name), next).flatMap((chips) => slicesOf(torus(name), chips))
      expect(boxes).not.toEqual([])
      for (const box of boxes) {
        expect(sliceProblem(torus(name), box)).toBeNull()
        expect(sliceProblem(torus(name), [...box].reverse())).toBeNull()
      }
    },
  )

  it('that is suggested can be had, and has all axes', () => {
    const edge = fc.integer({ min: 1, max: 40 })
    forAll(100, [fc.constantFrom(...tpus), fc.array(edge, { minLength: 1, maxLength: 4 })], (name, asked) => {
      const problem = sliceProblem(torus(name), asked)
      if (!problem) return
      expect(problem.nearest.length).toBeGreaterThan(0)
      for (const box of problem.nearest) {
        expect(box).toHaveLength(torus(name).pod.length)
        expect(sliceProblem(torus(name), box)).toBeNull()
      }
    })
  })

  it('that is suggested has edges rounded up as well as down', () => {
    expect(sliceProblem(torus('tpu-v5p'), [7, 7, 7])?.nearest).toContainEqual([8, 8, 8])
  })

  it('holds all smaller ones: whole cubes where the torus is of cubes, and else those that are listed', () => {
    const cubes = slicesWithin(torus('tpu-v5p'), [4, 4, 12])
    expect(cubes).toContainEqual([4, 4, 8])
    expect(cubes).not.toContainEqual([4, 4, 12])
    expect(slicesWithin(torus('tpu-v5e'), [8, 8])).not.toContainEqual([4, 6])
    expect(slicesWithin(torus('tpu-v5e'), [8, 8])).toContainEqual([4, 8])
  })

  it('of a torus that lists none is any box of whole hosts inside the pod', () => {
    const { slices: _listed, ...unlisted } = torus('tpu-v5e')
    expect(sliceProblem(unlisted, [2, 12])).toBeNull()
    expect(sliceProblem(unlisted, [12, 6])).toBeNull()
    expect(sliceProblem(unlisted, [2, 2])?.nearest).toContainEqual([2, 4])
    expect(sliceProblem(unlisted, [2, 18])?.nearest).toContainEqual([2, 16])
    expect(nearestChipCounts(unlisted, 17)).toEqual([16, 24])
  })
})

describe('the squarest slice', () => {
  it.each([
    ['tpu-v5e', 64, [8, 8]],
    ['tpu-v5e', 128, [8, 16]],
    ['tpu-v5p', 4, [2, 2, 1]],
    ['tpu-v5p', 8960, [16, 20, 28]],
    ['tpu-v5p', 1024, [8, 8, 16]],
    ['tpu-7x', 9216, [16, 24, 24]],
    ['tpu-v4', 4096, [16, 16, 16]],
    ['tpu-v5e', 48, null],
    ['tpu-v5p', 65, null],
    ['tpu-v5e', 512, null],
  ])('of %s with %i chips is %j', (name, chips, slice) => {
    expect(squarestSlice(torus(name), chips)).toEqual(slice)
  })

  it('has exactly the chips asked for, and none is squarer', () => {
    const aspect = (box: readonly number[]) => Math.max(...box) / Math.min(...box)
    forAll(100, [fc.constantFrom(...tpus), fc.integer({ min: 1, max: 150 })], (name, units) => {
      const system = torus(name)
      const chips = system.wrap.kind === 'cubes' ? 64 * units : units
      const slice = squarestSlice(system, chips)
      if (!slice) {
        expect(nearestChipCounts(system, chips)).not.toContain(chips)
        return
      }
      expect(product(slice)).toBe(chips)
      for (const other of slicesOf(system, chips)) expect(aspect(other)).toBeGreaterThanOrEqual(aspect(slice))
    })
  })
})

describe('the nearest chip counts', () => {
  it.each([
    ['tpu-v5e', 48, [32, 64]],
    ['tpu-v5e', 64, [64]],
    ['tpu-v5e', 1000, [256]],
    ['tpu-v5p', 100, [64, 128]],
    ['tpu-v5p', 3, [1, 4]],
    ['tpu-v5p', 1_000_000, [8960]],
    ['tpu-v4', 1, [4]],
  ])('to %s %i are %j', (name, chips, counts) => {
    expect(nearestChipCounts(torus(name), chips)).toEqual(counts)
  })

  law(
    'leave no count with a slice between them',
    40,
    [fc.constantFrom(...tpus), fc.integer({ min: 1, max: 9300 })],
    (name, chips) => {
      const system = torus(name)
      const counts = nearestChipCounts(system, chips)
      for (const count of counts) expect(squarestSlice(system, count)).not.toBeNull()
      if (counts.includes(chips)) return
      const below = counts.find((count) => count < chips) ?? 0
      const above = counts.find((count) => count > chips) ?? product(system.pod) + 1
      for (let between = below + 1; between < Math.min(above, below + 300); between++) {
        expect(squarestSlice(system, between)).toBeNull()
      }
    },
  )
})

describe('a request for a torus', () => {
  it('is resolved from its topology', () => {
    const resolved = resolveCluster({ chip: chip('tpu-v5p'), topology: [16, 20, 28], slices: 2 })
    expect(resolved).toMatchObject({
      cluster: { chips: 17_920, network: { slices: 2, topology: [16, 20, 28], wraps: [true, true, true] } },
      warnings: [],
    })
  })

  it('has its topology completed', () => {
    const resolved = resolveCluster({ chip: chip('tpu-v4'), topology: [2, 2] })
    expect(resolved).toMatchObject({ cluster: { chips: 4, network: { topology: [2, 2, 1] } } })
  })

  it('for chips alone gets the squarest slice, and is told so', () => {
    const resolved = resolveCluster({ chip: chip('tpu-v5e'), chips: 64 })
    expect(resolved).toMatchObject({
      cluster: { chips: 64, network: { topology: [8, 8], slices: 1, wraps: [false, false] } },
      warnings: [expect.stringContaining('8x8')],
    })
  })

  it('for more chips than a pod gets the fewest equal slices, and is told so', () => {
    const resolved = resolveCluster({ chip: chip('tpu-v5e'), chips: 320 })
    expect(resolved).toMatchObject({
      cluster: { chips: 320, network: { topology: [8, 8], slices: 5 } },
      warnings: [expect.stringContaining('5 slices of 8x8')],
    })
  })

  it('never gets slices of a host or less to make up a number', () => {
    expect(resolveCluster({ chip: chip('tpu-v5e'), chips: 257 })).toMatchObject({
      problem: { pointer: '/hardware/chips', suggestions: ['"chips": 256', '"chips": 512'] },
    })
  })

  it('is told of near numbers that make equal slices', () => {
    expect(resolveCluster({ chip: chip('tpu-v5p'), chips: 8961 })).toMatchObject({
      problem: { suggestions: ['"chips": 8960', '"chips": 9088'] },
    })
    expect(resolveCluster({ chip: chip('tpu-v5e'), chips: 999_999 })).toMatchObject({
      problem: { suggestions: ['"chips": 999936'] },
    })
  })

  it('for chips in given slices gets them', () => {
    const resolved = resolveCluster({ chip: chip('tpu-v5p'), chips: 256, slices: 2 })
    expect(resolved).toMatchObject({ cluster: { chips: 256, network: { topology: [4, 4, 8], slices: 2 } } })
  })

  it.each([
    [{ chips: 48 }, '/hardware/chips', ['"chips": 32', '"chips": 64']],
    [{ chips: 100, slices: 3 }, '/hardware/chips', ['"chips": 96', '"chips": 192']],
    [{ chips: 32, topology: [4, 4] }, '/hardware/chips', ['"chips": 16']],
    [{ topology: [4, 16] }, '/hardware/topology', ['"topology": [8, 8]']],
    [{}, '/hardware/chips', ['"topology": [16, 16]']],
    [{ chips: 0 }, '/hardware/chips', []],
    [{ chips: 2.5 }, '/hardware/chips', []],
    [{ chips: 1_000_001 }, '/hardware/chips', []],
    [{ topology: [16, 16], slices: 4000 }, '/hardware/slices', []],
    [{ chips: 16, network: { tiers: [] } }, '/hardware/network/tiers', []],
  ])('such as %j is refused at %s', (request, pointer, suggestions) => {
    const resolved = resolveCluster({ chip: chip('tpu-v5e'), ...request })
    expect(resolved).toMatchObject({ problem: { pointer, suggestions: expect.arrayContaining(suggestions) } })
  })

  it('may replace bandwidths: per chip over all its links, and over DCN', () => {
    const network = { scaleUpBytesPerSecondPerChip: 6e11, scaleOutBytesPerSecondPerChip: 1e9 }
    expect(resolveCluster({ chip: chip('tpu-v5p'), topology: [4, 4, 4], network })).toMatchObject({
      cluster: { network: { linkBytesPerSecond: 1e11, dcnBytesPerSecondPerChip: 1e9 } },
    })
  })

  law(
    'always gets as many chips as it asked for, in a legal slice, or a reason',
    100,
    [fc.constantFrom(...tpus), fc.integer({ min: 1, max: 1_000_000 })],
    (name, chips) => {
      const resolved = resolveCluster({ chip: chip(name), chips })
      if ('problem' in resolved) {
        expect(resolved.problem.suggestions.length).toBeGreaterThan(0)
        for (const suggestion of resolved.problem.suggestions) {
          const request = { chip: chip(name), ...JSON.parse(`{${suggestion}}`) }
          expect(resolveCluster(request)).toHaveProperty('cluster')
          expect(resolved.problem.detail).toMatch(
            new RegExp(`nearest that can be had .*\\b${request.chips}\\b`),
          )
        }
        return
      }
      const { network } = resolved.cluster
      if (network.kind !== 'torus') throw new Error('a torus was asked for')
      expect(product(network.topology) * network.slices).toBe(chips)
      expect(sliceProblem(torus(name), network.topology)).toBeNull()
    },
  )
})

describe('a request for chips behind switches', () => {
  const h100 = chip('h100-sxm')

  law('may be for any number of them', 100, [fc.integer({ min: 1, max: 1_000_000 })], (chips) => {
    const resolved = resolveCluster({ chip: h100, chips })
    expect(resolved).toMatchObject({ cluster: { chips, network: { kind: 'switched' } } })
  })

  it('is told of a node that is not full', () => {
    expect(resolveCluster({ chip: h100, chips: 20 })).toMatchObject({
      warnings: [expect.stringContaining('4')],
    })
    expect(resolveCluster({ chip: h100, chips: 24 })).toMatchObject({ warnings: [] })
    expect(resolveCluster({ chip: h100, chips: 4 })).toMatchObject({ warnings: [] })
  })

  it('may replace the bandwidth of all tiers above the innermost', () => {
    const network = { scaleOutBytesPerSecondPerChip: 2.5e10 }
    const resolved = resolveCluster({ chip: h100, chips: 64, network })
    expect(resolved).toMatchObject({
      cluster: {
        network: {
          tiers: [
            { name: 'nvlink', bytesPerSecondPerChip: 4.5e11 },
            { name: 'leaf', bytesPerSecondPerChip: 2.5e10 },
            { name: 'spine', bytesPerSecondPerChip: 2.5e10 },
          ],
        },
      },
    })
  })

  const tier = {
    name: 'nvlink',
    size: 8,
    bytesPerSecondPerChip: 4.5e11,
    latencySeconds: 1e-6,
    inNetworkReduction: true,
  }

  it('may spell out its tiers', () => {
    const network = { tiers: [tier], scaleUpBytesPerSecondPerChip: 1e11 }
    expect(resolveCluster({ chip: h100, chips: 8, network })).toMatchObject({
      cluster: { network: { tiers: [{ ...tier, bytesPerSecondPerChip: 1e11 }] } },
    })
  })

  it.each([
    [{ topology: [4, 4] }, '/hardware/topology'],
    [{ chips: 8, topology: [2, 4] }, '/hardware/topology'],
    [{ chips: 8, slices: 2 }, '/hardware/slices'],
    [{}, '/hardware/chips'],
    [{ chips: 9, network: { tiers: [tier] } }, '/hardware/chips'],
    [{ chips: 8, network: { tiers: [] } }, '/hardware/network/tiers'],
    [{ chips: 8, network: { tiers: [{ ...tier, size: null }, tier] } }, '/hardware/network/tiers'],
    [{ chips: 8, network: { tiers: [{ ...tier, size: 0.5 }] } }, '/hardware/network/tiers'],
    [{ chips: 8, network: { tiers: [{ ...tier, bytesPerSecondPerChip: 0 }] } }, '/hardware/network/tiers'],
    [
      { chips: 8, network: { tiers: [tier], scaleOutBytesPerSecondPerChip: 1e9 } },
      '/hardware/network/scaleOutBytesPerSecondPerChip',
    ],
  ])('such as %j is refused at %s', (request, pointer) => {
    expect(resolveCluster({ chip: h100, ...request })).toMatchObject({ problem: { pointer } })
  })
})

describe('the counts next to one that cannot be had', () => {
  const edges = (most: number) => fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 3 })
  const systems = fc
    .record({ pod: edges(9), host: edges(4), wrap: fc.constantFrom('size' as const, 'cubes' as const) })
    .map(({ pod, host, wrap }): TorusSystem => {
      const rule = wrap === 'size' ? { kind: wrap, size: 8 } : { kind: wrap, edge: 2 }
      return { ...torus('tpu-v5p'), slices: undefined, pod, host, wrap: rule } as unknown as TorusSystem
    })

  law('are the next of all that can', 100, [systems, fc.integer({ min: 1, max: 800 })], (system, chips) => {
    const can = (count: number) => squarestSlice(system, count) !== null
    const all = Array.from({ length: 1000 }, (_, at) => at + 1).filter(can)
    const [below, above] = [all.filter((count) => count < chips).at(-1), all.find((count) => count > chips)]
    const expected = can(chips) ? [chips] : [below, above].filter((count) => count !== undefined)
    expect(nearestChipCounts(system, chips)).toEqual(expected)
  })

  it('are worked out where there are billions between, and none at all', () => {
    const vast = { ...torus('tpu-v5p'), slices: undefined, wrap: { kind: 'size', size: 8 } } as const
    const pod = [4095, 4095, 4095, 4095]
    const none = { ...vast, pod, host: [4096, 1, 1, 1] } as unknown as TorusSystem
    expect(nearestChipCounts(none, 8)).toEqual([])
    expect(sliceProblem(none, pod)?.nearest).toEqual([])
    const single = { ...vast, pod, host: [1, 1, 1, 1] } as unknown as TorusSystem
    expect(nearestChipCounts(single, 999_983)).toEqual([999_978, 999_984])
    expect(resolveCluster({ chip: { ...chip('tpu-v5p'), system: single }, topology: pod })).toHaveProperty(
      'problem',
    )
  })

  it('are told of a thousand listed slices as of one', () => {
    const slices = Array.from({ length: 1000 }, (_, at) => [1, 2, at + 3])
    const system = { ...torus('tpu-v5p'), slices, pod: [4096, 4096, 4096] } as unknown as TorusSystem
    const found = sliceProblem(system, [5, 7, 11])
    expect(found?.nearest).toHaveLength(3)
    expect(found?.reason.length).toBeLessThan(200)
  })
})
