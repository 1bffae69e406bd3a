/**
 * The mesh of the devices that MaxText sees, where software sees several on a chip (two on TPU7x). The plan counts a chip
 * as one, so that its devices together have to hold and do what the plan says of it, and have to join an axis that
 * shards weights:
 *
 *   tensor  if the plan has a tensor axis, as its chips are the nearest to each other
 *   fsdp    otherwise, if the devices divide the sequences of a microbatch
 *   tensor  otherwise
 *
 * So a mesh of devices is of one mesh of chips alone: devices are in tensor if they divide it, else in fsdp. What
 * pairs JAX puts on a chip it decides itself. Source: AI-Hypercomputer/tpu-recipes c8cfe2f, training/ironwood (fsdp
 * over all devices, per_device_batch_size for each); AI-Hypercomputer/maxtext e591f30,
 * src/maxtext/utils/accelerator_to_spec_map.py (tpu7x-128 is 4x4x4).
 */

import { devicesOn } from '../../hardware/chip.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { keeps, type Rule } from '../../rules/rule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { LayoutRun } from '../run/run.ts'
import { evenRules } from './even.ts'

export function deviceCount({ chip, chips }: Pick<Cluster, 'chip' | 'chips'>): number {
  return chips * devicesOn(chip)
}

/** The axis where devices of a chip exchange what a plan does not count. */
export const devicesInTensor = 'tensor'

/** The axis that the devices of a chip join; undefined if none can take them. */
export function deviceAxis(run: LayoutRun): 'tensor' | 'fsdp' | undefined {
  const { mesh, microbatch, problem } = run
  const devices = devicesOn(problem.cluster.chip)
  if (devices === 1) return 'fsdp'
  const even = (own: Mesh) => keeps(evenRules, { ...run, mesh: own })
  const spreads = mesh.tensor % devices !== 0 && microbatch % devices === 0 && shardsStates(run, devices)
  if (spreads && even({ ...mesh, fsdp: mesh.fsdp * devices })) return 'fsdp'
  return even({ ...mesh, tensor: mesh.tensor * devices }) ? 'tensor' : undefined
}

/** ZeRO-1 shards its states over the replicas, which fsdp makes more. */
function shardsStates({ zeroStage, model, replicas }: LayoutRun, devices: number): boolean {
  return zeroStage !== 1 || model.dModel % (replicas * devices) === 0
}

export const deviceRules: readonly Rule<LayoutRun>[] = [
  {
    broken: (run) => deviceAxis(run) === undefined,
    says: ({ mesh: { tensor }, microbatch, problem: { cluster } }) => {
      const devices = devicesOn(cluster.chip)
      return `MaxText sees ${devices} devices on a chip, which neither fsdp (tensor ${tensor}, ${microbatch} sequences) nor tensor ${tensor * devices} can take`
    },
  },
]

/** Mesh axes that the devices of a chip may have joined, as a file is read; the first whose size they divide has. */
const joined = ['tensor', 'fsdp', 'data', 'context', 'expert'] as const

/** The mesh of chips to a mesh of devices; null if the devices of a chip lie on no one axis. */
export function chipMesh<Sizes extends Readonly<Record<(typeof joined)[number], number>>>(
  mesh: Sizes,
  devices: number,
): Sizes | null {
  if (devices === 1) return mesh
  const axis = joined.find((name) => mesh[name] % devices === 0)
  return axis === undefined ? null : { ...mesh, [axis]: mesh[axis] / devices }
}
