import { describe, expect, it } from 'vitest'
import { onDeviceMesh } from '../../../src/hardware/network/device-mesh.ts'
import { partsOfLost, unbuilt, unsplit } from '../../../src/launch/maxtext/device-mesh.ts'
import { maxtextSizes } from '../../../src/launch/maxtext/mesh.ts'
import { problem } from '../../problem.ts'

/** What create_device_mesh of jax 0.10.2 did with mocked devices and allow_split_physical_axes. */
describe('a mesh of JAX 0.10', () => {
  const isBuilt = (topology: readonly number[], mesh: readonly number[]) =>
    onDeviceMesh(topology, mesh, partsOfLost) !== null

  it.each([
    [
      [12, 12, 12],
      [27, 64],
    ],
    [
      [12, 12, 12],
      [27, 4, 16],
    ],
    [
      [12, 12, 12],
      [27, 8, 8],
    ],
    [
      [12, 12, 12],
      [9, 192],
    ],
    [
      [16, 20, 28],
      [560, 16],
    ],
    [
      [4, 4, 8],
      [2, 64],
    ],
    [[16, 16], [256]],
    [
      [16, 16],
      [32, 8],
    ],
  ])('of a %j slice may be %j', (topology, mesh) => {
    expect(isBuilt(topology, mesh)).toBe(true)
  })

  it.each([
    [
      [16, 20, 28],
      [140, 2, 8, 4],
    ],
    [
      [16, 20, 28],
      [280, 4, 8],
    ],
    [
      [16, 20, 28],
      [2240, 4],
    ],
    [
      [16, 20, 28],
      [35, 256],
    ],
  ])('of a %j slice is never %j, as factors of 28 are lost', (topology, mesh) => {
    expect(isBuilt(topology, mesh)).toBe(false)
  })

  it('that is not built is told, with what would build it', () => {
    const asked = { model: 'llama-3-70b', chip: 'tpu-v5p', batchTokens: 4_194_304, sequenceLength: 8192 }
    const on = (topology: readonly number[], sizes: Readonly<Record<string, number>>) => {
      const ici = maxtextSizes((axis) => sizes[axis] ?? 1)
      return unbuilt({ problem: problem({ ...asked, topology }) }, { ici, dcn: maxtextSizes(() => 1) })
    }
    expect(on([16, 20, 28], { fsdp: 2240, tensor: 4 })).toMatch(
      /^JAX 0.11.0 and earlier raise an error for this mesh on 16x20x28/,
    )
    // It takes 7 of the 28 for an axis of 28.
    expect(on([16, 20, 28], { data: 28, fsdp: 80, tensor: 4 })).not.toBeNull()
    expect(on([16, 20, 28], { fsdp: 560, tensor: 16 })).toBeNull()
    expect(on([12, 12, 12], { data: 27, fsdp: 64 })).toBeNull()
  })
})

describe('a mesh that takes parts of physical axes', () => {
  const onSlice = (topology: readonly number[], sizes: Readonly<Record<string, number>>, devices = 1) =>
    unsplit(
      topology,
      devices,
      maxtextSizes((axis) => sizes[axis] ?? 1),
    )

  it('does not start where JAX may not split them', () => {
    expect(onSlice([4, 4, 8], { fsdp: 64, tensor: 2 })).toMatch(/^ici_fsdp_parallelism 64 x ici_tensor_paral/)
    expect(onSlice([4, 4, 8], { fsdp: 32, tensor: 4 })).toBeNull()
    // In 8 chips of one host there is a ring, of which any mesh is made.
    expect(onSlice([2, 4], { fsdp: 4, data: 2 })).toBeNull()
  })

  it('has the devices of a chip as one more axis', () => {
    expect(onSlice([4, 4, 4], { fsdp: 64, tensor: 2 }, 2)).toBeNull()
    expect(onSlice([4, 4, 4], { fsdp: 64, tensor: 2 })).not.toBeNull()
    expect(onSlice([2, 2, 4], { data: 2, fsdp: 8, tensor: 2 }, 2)).toBeNull()
    expect(onSlice([4, 4, 4], { fsdp: 2, tensor: 2, data: 32 }, 2)).not.toBeNull()
  })
})
