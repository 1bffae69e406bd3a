import { describe, expect, it } from 'vitest'
import jax from '../../../fixtures/jax-device-meshes.json' with { type: 'json' }
import { deviceMeshAxes, onDeviceMesh } from '../../../src/hardware/network/device-mesh.ts'
import { devicePlacements, liesAlike, placements } from '../../../src/hardware/network/placement.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { torus } from './networks.ts'

/** The first mesh axes in JAX's order, of so many chips. */
const meshOf = (sizes: readonly number[]): Mesh => ({
  ...unitMesh,
  ...Object.fromEntries(sizes.map((size, at) => [deviceMeshAxes[at], size])),
})

describe('a mesh lies where JAX itself puts it', () => {
  it.each(
    jax.meshes.map((row) => [`${row.mesh.join(' x ')} on ${row.topology.join('x')}`, row] as const),
  )('%s', (_, { topology, mesh, taken, steps }) => {
    expect(onDeviceMesh(topology, mesh)).toEqual(taken)
    const [placement] = devicePlacements(torus(topology, true), meshOf(mesh))
    const stepsOf = mesh.map((size, at) => {
      const group = placement?.groups[deviceMeshAxes[at] ?? 'data']
      if (size === 1 || group?.kind !== 'torus') return null
      // Along the last physical axis of a mesh axis its devices are neighbours.
      const { physical, stride } = group.parts.at(-1) ?? { physical: 0, stride: 0 }
      return topology.map((_length, axis) => (axis === physical ? stride : 0))
    })
    expect(stepsOf).toEqual(steps)
  })
})

describe('what JAX makes of a mesh', () => {
  const mesh = { ...unitMesh, data: 35, fsdp: 2, tensor: 8, context: 16 }
  const network = torus([16, 20, 28], true)

  it('is listed first among all placements, and once', () => {
    const [made] = devicePlacements(network, mesh)
    const all = placements(network, mesh)
    expect(all[0]).toEqual(made)
    expect(all.filter((one) => made && liesAlike(one, made))).toHaveLength(1)
    expect(all.length).toBeGreaterThan(10)
  })

  it('is one placement for each way in which its axes cross slices', () => {
    const slices = torus([4, 4, 4], true, 4)
    const across = devicePlacements(slices, { ...unitMesh, data: 4, fsdp: 16, tensor: 4 }).map(({ groups }) =>
      deviceMeshAxes.map((axis) => (groups[axis].kind === 'torus' ? groups[axis].slices : 0)),
    )
    expect(across).toEqual([
      [1, 1, 4, 1, 1, 1],
      [1, 2, 2, 1, 1, 1],
      [1, 4, 1, 1, 1, 1],
    ])
  })

  it('is nothing for an axis that MaxText does not have', () => {
    expect(devicePlacements(torus([4, 4], true), { ...unitMesh, tensor: 4, tensor2: 4 })).toEqual([])
  })
})
