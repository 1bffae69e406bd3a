/**
 * Where MaxText's meshes lie on a torus, which JAX decides (hardware/network/device-mesh.ts), and which of them earlier releases of JAX do not build.
 * Source: jax-ml/jax cec06d1, jax/_src/mesh_utils.py.
 */
import { devicesOn } from '../../hardware/chip.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { chosen, liesOnWholeAxes, onDeviceMesh, type PartsOf } from '../../hardware/network/device-mesh.ts'
import { devicePlacements, type Placement } from '../../hardware/network/placement.ts'
import { rememberedOf } from '../../known.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Run } from '../run/run.ts'
import { maxtextAxes, type SlicedMesh } from './mesh.ts'

/**
 * The placements of a mesh that JAX makes, one for each way in which its axes may cross slices. Null where it is not known: on the few chips of one
 * host JAX goes round a ring, and software that sees several devices on a chip has an axis in JAX's mesh that the topology has not.
 */
export function maxtextPlacements(cluster: Cluster, mesh: Mesh): readonly Placement[] | null {
  return madeOn(cluster)(mesh)
}

/** A search asks for those of a mesh again with each plan on it. */
const madeOn = rememberedOf(({ network, chip, chips }: Cluster) =>
  rememberedOf((mesh: Mesh) => {
    if (network.kind !== 'torus' || devicesOn(chip) > 1 || chips / network.slices <= ofRing) return null
    return devicePlacements(network, mesh)
  }),
)

/**
 * Why JAX does not build the mesh of devices of a slice where it is not allowed to split physical axes; null where it does. Software that sees
 * several devices on a chip has them as one more axis; JAX goes round the rings of one host, and of a tower of hosts of such chips, whatever the mesh.
 */
export function unsplit(topology: readonly number[], devices: number, ici: SlicedMesh['ici']): string | null {
  const sizes = maxtextAxes.map((axis) => ici[axis])
  const all = sizes.reduce((product, size) => product * size, 1)
  const isPlane = topology.length < 3
  if (devices > 1 ? isPlane || all <= ofTower : all <= ofRing) return null
  if (liesOnWholeAxes(devices > 1 ? [...topology, devices] : topology, sizes)) return null
  const written = maxtextAxes.flatMap((axis) =>
    ici[axis] > 1 ? [`ici_${axis}_parallelism ${ici[axis]}`] : [],
  )
  return `${written.join(' x ')} takes parts of physical axes of ${topology.join('x')}, where JAX stops ("Failed to find assignment for logical_axis_index"): it does not start without allow_split_physical_axes=true`
}

/** Devices of TPU7x on hosts that stand on each other. */
const ofTower = 32

/** Of v5e and v6e the most chips in a ring of JAX's; a larger ring, of 4x4, has one axis alone, which lies in one way. */
const ofRing = 8

/** What to do about a mesh that earlier releases do not build; null where all do, or where it is not known. */
export function unbuilt({ problem: { cluster } }: Pick<Run, 'problem'>, { ici }: SlicedMesh): string | null {
  const { network, chip } = cluster
  if (network.kind !== 'torus' || devicesOn(chip) > 1) return null
  const { topology } = network
  const sizes = maxtextAxes.map((axis) => ici[axis])
  if (onDeviceMesh(topology, sizes, partsOfLost)) return null
  return `JAX 0.11.0 and earlier raise an error for this mesh on ${topology.join('x')}: their _get_prime_factors (jax/_src/mesh_utils.py) loses factors of sizes like 28 or 10, which commit 96e0bc7 of July 2026 mended`
}

/** The parts that were tried with the prime factors of earlier releases: none where factors were lost. */
export const partsOfLost: PartsOf = (size, left) => {
  const wanted = lossyFactors(size)
  const there = left.map(lossyFactors)
  let all: (readonly number[])[] = [left.map(() => 1)]
  for (const factor of new Set(wanted)) {
    const axes = there.flatMap((own, axis) => own.filter((one) => one === factor).map(() => axis))
    const ways = chosen(axes, wanted.filter((one) => one === factor).length)
    all = all.flatMap((before) =>
      ways.map((way) => before.map((own, axis) => own * factor ** way.filter((one) => one === axis).length)),
    )
  }
  return all
}

/** Where the largest prime factor is beyond the root, that alone. */
function lossyFactors(number: number): readonly number[] {
  const factors: number[] = []
  let rest = number
  const last = Math.floor(Math.sqrt(number)) + 1
  for (let prime = 2; prime <= last; prime++) {
    for (; rest % prime === 0; rest /= prime) factors.push(prime)
    if (rest === 1) return factors
  }
  return [rest]
}
