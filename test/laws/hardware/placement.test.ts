import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SwitchedNetwork, TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { factorings } from '../../../src/hardware/cluster/factorings.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { type Group, groupSize, union } from '../../../src/hardware/network/group.ts'
import type { NetworkTerms } from '../../../src/hardware/network/group-cost.ts'
import {
  canBePlaced,
  devicePlacements,
  type Placement,
  placements,
} from '../../../src/hardware/network/placement.ts'
import { type Axis, axes, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'

function torus(topology: readonly number[], slices = 1, wraps = topology.map(() => true)): TorusNetwork {
  return {
    kind: 'torus',
    topology,
    wraps,
    linkBytesPerSecond: 9e10,
    hopSeconds: 1e-6,
    slices,
    dcnBytesPerSecondPerChip: 6e9,
    dcnLatencySeconds: 1e-5,
  }
}

const cluster: SwitchedNetwork = {
  kind: 'switched',
  tiers: [
    { name: 'node', size: 8, bytesPerSecondPerChip: 450e9, latencySeconds: 1e-6, inNetworkReduction: false },
    {
      name: 'fabric',
      size: null,
      bytesPerSecondPerChip: 50e9,
      latencySeconds: 1e-5,
      inNetworkReduction: false,
    },
  ],
}

const used: readonly Axis[] = ['data', 'fsdp', 'tensor', 'context', 'pipeline']

/** Any mesh of so many chips over the five axes that training uses most. */
function meshes(chips: number): fc.Arbitrary<Mesh> {
  return fc
    .constantFrom(
      ...factorings(
        chips,
        used.map(() => chips),
      ),
    )
    .map((sizes) => ({ ...unitMesh, ...Object.fromEntries(used.map((axis, at) => [axis, sizes[at]])) }))
}

const tori = fc.constantFrom(
  torus([2, 4]),
  torus([4, 4]),
  torus([2, 2, 4]),
  torus([4, 4, 4]),
  torus([2, 6]),
  torus([12]),
  torus([4, 4, 2], 1, [true, true, false]),
  torus([2, 2], 2),
  torus([2, 4], 3),
)

const chipsOf = ({ topology, slices }: TorusNetwork) =>
  topology.reduce((product, size) => product * size, slices)

const onTorus = tori.chain((network) =>
  fc.record({ network: fc.constant(network), mesh: meshes(chipsOf(network)) }),
)

/** The coordinate of every chip on every mesh axis, from the parts of a placement. */
function coordinates(network: TorusNetwork, { groups }: Placement): readonly (readonly number[])[] {
  const { topology, slices } = network
  const chips = Array.from({ length: chipsOf(network) }, (_, chip) => chip)
  const across = axes.map((axis) => {
    const group = groups[axis]
    return group.kind === 'torus' ? group.slices : 1
  })
  return chips.map((chip) => {
    let rest = chip
    const position = topology.map((length) => {
      const at = rest % length
      rest = Math.floor(rest / length)
      return at
    })
    let slice = rest % slices
    return axes.map((axis, at) => {
      const group = groups[axis]
      if (group.kind !== 'torus') return Number.NaN
      const within = group.parts.reduce(
        (index, { physical, size, stride }) =>
          index * size + (Math.floor((position[physical] ?? 0) / stride) % size),
        0,
      )
      const own = slice % (across[at] ?? 1)
      slice = Math.floor(slice / (across[at] ?? 1))
      return own * groupSize({ ...group, slices: 1 }) + within
    })
  })
}

function expectPartition(mesh: Mesh, chips: readonly (readonly number[])[]): void {
  expect(new Set(chips.map((coordinate) => coordinate.join())).size).toBe(chips.length)
  axes.forEach((axis, at) => {
    const groups = new Map<string, number[]>()
    for (const coordinate of chips) {
      const others = coordinate.filter((_, other) => other !== at).join()
      groups.set(others, [...(groups.get(others) ?? []), coordinate[at] ?? -1])
    }
    const whole = Array.from({ length: mesh[axis] }, (_, member) => member)
    for (const members of groups.values()) expect(members.sort((a, b) => a - b)).toEqual(whole)
  })
}

describe('a placement on a torus', () => {
  law('gives every axis parts that multiply to its size', 100, [onTorus], ({ network, mesh }) => {
    for (const { groups } of placements(network, mesh)) {
      for (const axis of axes) expect(groupSize(groups[axis])).toBe(mesh[axis])
    }
  })

  law('puts every chip into exactly one group of every axis', 40, [onTorus], ({ network, mesh }) => {
    for (const placement of placements(network, mesh)) expectPartition(mesh, coordinates(network, placement))
  })

  it('takes parts of several physical axes where the mesh lies in no other way', () => {
    const network = torus([12, 12, 12])
    const mesh = { ...unitMesh, data: 27, fsdp: 64 }
    const most = (sizes: Mesh) =>
      placements(network, sizes).map(({ groups }) => axes.map((axis) => splitParts(network, groups[axis])))
    for (const parts of most(mesh)) expect(parts).toEqual(axes.map((axis) => (mesh[axis] > 1 ? 3 : 0)))
    expect(most(mesh).length).toBeGreaterThan(0)
    for (const parts of most({ ...unitMesh, data: 36, fsdp: 48 })) expect(Math.max(...parts)).toBe(1)
  })

  law('is there for every mesh of one slice', 100, [onTorus], ({ network, mesh }) => {
    if (network.slices === 1) expect(placements(network, mesh)).not.toEqual([])
  })

  law('joins slices by data, fsdp or pipeline alone', 100, [onTorus], ({ network, mesh }) => {
    for (const { groups } of placements(network, mesh)) {
      for (const axis of ['tensor', 'context'] as const) {
        expect(groups[axis]).toMatchObject({ slices: 1 })
      }
    }
  })

  law('is listed once', 100, [onTorus], ({ network, mesh }) => {
    const listed = placements(network, mesh).map(printed)
    expect(new Set(listed).size).toBe(listed.length)
  })

  law(
    'is listed, itself or its mirror image, wherever a brute search finds it',
    60,
    [onTorus],
    ({ network, mesh }) => {
      const costs = (all: readonly Placement[]) => new Set(all.map((placement) => costOf(network, placement)))
      const searched = costs(placementsBySearch(network, mesh))
      // JAX may take parts of several physical axes where that need not be.
      const made = costs(devicePlacements(network, mesh))
      expect(costs(placements(network, mesh))).toEqual(new Set([...searched, ...made]))
      expect(canBePlaced(network, mesh)).toBe(searched.size > 0)
    },
  )

  it('does not exist where tensor would have to span slices', () => {
    expect(placements(torus([2, 2], 2), { ...unitMesh, tensor: 8 })).toEqual([])
  })
})

describe('a placement behind switches', () => {
  const onRanks = fc.constantFrom(6, 8, 12, 16, 24).chain((chips) => meshes(chips))

  law('counts ranks through the axes, so that every rank is in one group of each', 100, [onRanks], (mesh) => {
    for (const { groups } of placements(cluster, mesh)) {
      const ranks = Array.from(
        { length: axes.reduce((product, axis) => product * mesh[axis], 1) },
        (_, rank) => axes.map((axis) => rankIn(groups[axis], rank)),
      )
      expectPartition(mesh, ranks)
    }
  })

  it('keeps tensor innermost, and pipeline outermost or just inside data and fsdp', () => {
    const mesh: Mesh = { ...unitMesh, tensor: 4, context: 2, fsdp: 2, data: 3, pipeline: 2 }
    const strides = placements(cluster, mesh).map(({ groups }) =>
      axes.map((axis) => {
        const group = groups[axis]
        return group.kind === 'switched' ? (group.spans[0]?.stride ?? 0) : -1
      }),
    )
    expect(strides).toEqual([
      [16, 8, 1, 0, 4, 0, 48],
      [32, 16, 1, 0, 4, 0, 8],
    ])
  })

  it('is one where the orders are the same', () => {
    expect(placements(cluster, { ...unitMesh, tensor: 8, pipeline: 2 }).length).toBe(1)
    expect(placements(cluster, { ...unitMesh, tensor: 8, data: 2 }).length).toBe(1)
  })
})

function rankIn(group: Group, rank: number): number {
  if (group.kind !== 'switched') return Number.NaN
  return group.spans.reduce((index, { size, stride }) => index * size + (Math.floor(rank / stride) % size), 0)
}

const terms: NetworkTerms = {
  finiteRings: true,
  scaleUpEfficiency: 1,
  scaleUpHalfBytes: 0,
  scaleOutEfficiency: 1,
  latencyFactor: 1,
  inNetworkReduction: false,
}

/** What a placement costs every axis and every pair of them; which physical axis is which does not matter. */
function costOf(network: TorusNetwork, { groups }: Placement): string {
  const sets = axes.flatMap((axis, at) => [[axis], ...axes.slice(at + 1).map((other) => [axis, other])])
  return JSON.stringify(
    sets.map((set) => {
      const { loads, allToAllLoads, permuteLoads, ...cost } = groupCost(
        network,
        union(
          set.map((axis) => groups[axis]),
          'torus',
        ),
        terms,
      )
      return {
        ...cost,
        loads: [...loads].sort(),
        allToAllLoads: [...allToAllLoads].sort(),
        permuteLoads: [...permuteLoads].sort(),
      }
    }),
  )
}

function printed({ groups }: Placement): string {
  return JSON.stringify(axes.map((axis) => groups[axis]))
}

/** Those with at most one split part of each axis; where there are none, all. */
function placementsBySearch(network: TorusNetwork, mesh: Mesh): readonly Placement[] {
  const all = everyPlacement(network, mesh)
  const once = all.filter(({ groups }) =>
    Object.values(groups).every((group) => splitParts(network, group) <= 1),
  )
  return once.length > 0 ? once : all
}

/** Depth first over every physical axis, every order of every product of sizes. */
function everyPlacement(network: TorusNetwork, mesh: Mesh): readonly Placement[] {
  const found: Placement[] = []
  for (const slices of splits(network.slices, mesh)) {
    if (axes.some((axis) => (slices[axis] ?? 1) > 1 && !['data', 'fsdp', 'pipeline'].includes(axis))) continue
    const left = Object.fromEntries(axes.map((axis) => [axis, mesh[axis] / (slices[axis] ?? 1)])) as Mesh
    extend(0, left, unplaced(slices))
  }
  return found

  function extend(physical: number, left: Mesh, placed: Placement): void {
    const length = network.topology[physical]
    if (length === undefined) {
      if (axes.every((axis) => left[axis] === 1)) found.push(placed)
      return
    }
    for (const sizes of splits(length, left)) {
      const present = axes.filter((axis) => (sizes[axis] ?? 1) > 1)
      const next = Object.fromEntries(axes.map((axis) => [axis, left[axis] / (sizes[axis] ?? 1)])) as Mesh
      for (const order of ordersOf(present)) {
        let stride = 1
        const groups: Record<Axis, Group> = { ...placed.groups }
        for (const axis of order) {
          const size = sizes[axis] ?? 1
          const group = groups[axis]
          if (group.kind === 'torus')
            groups[axis] = { ...group, parts: [...group.parts, { physical, size, stride }] }
          stride *= size
        }
        extend(physical + 1, next, { groups })
      }
    }
  }
}

function splitParts({ topology }: TorusNetwork, group: Group): number {
  if (group.kind !== 'torus') return 0
  return group.parts.filter(({ physical, size }) => size < (topology[physical] ?? 0)).length
}

function unplaced(slices: Partial<Mesh>): Placement {
  const entries = axes.map((axis): [Axis, Group] => [
    axis,
    { kind: 'torus', parts: [], slices: slices[axis] ?? 1 },
  ])
  return { groups: Object.fromEntries(entries) as Record<Axis, Group> }
}

/** Ways to write a number as a product over the axes, each factor dividing what the axis has left. */
function splits(total: number, left: Mesh): readonly Partial<Mesh>[] {
  return axes
    .reduce<readonly { readonly sizes: Partial<Mesh>; readonly rest: number }[]>(
      (partial, axis) =>
        partial.flatMap(({ sizes, rest }) =>
          divisorsOf(rest)
            .filter((size) => left[axis] % size === 0)
            .map((size) => ({ sizes: { ...sizes, [axis]: size }, rest: rest / size })),
        ),
      [{ sizes: {}, rest: total }],
    )
    .filter(({ rest }) => rest === 1)
    .map(({ sizes }) => sizes)
}

function ordersOf(items: readonly Axis[]): readonly (readonly Axis[])[] {
  if (items.length === 0) return [[]]
  return items.flatMap((item) =>
    ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  )
}
