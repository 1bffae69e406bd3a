/**
 * The slices that MaxText is started on. Its mesh takes all devices of each: fill_unspecified_mesh_axes asserts that the
 * axes multiply to them. Only whole slices may be left out, as the job then starts on fewer; Pathways alone makes a mesh of a
 * part of a slice (subslice_shape). Source: AI-Hypercomputer/maxtext e591f30, src/maxtext/utils/max_utils.py,
 * src/maxtext/utils/maxtext_utils.py (create_device_mesh).
 */
import { printedSlices, volume } from '../../hardware/cluster/box.ts'
import type { Rule } from '../../rules/rule.ts'
import type { MeshRun } from '../run/run.ts'

export const sliceRules: readonly Rule<MeshRun>[] = [
  {
    broken: ({ problem: { cluster } }) => cluster.network.kind === 'torus' && (cluster.idleBeside ?? 0) > 0,
    says: ({ problem: { cluster } }) => {
      const { network, idleBeside = 0 } = cluster
      if (network.kind !== 'torus') return ''
      const { slices, topology } = network
      const all = volume(topology) + idleBeside
      return `MaxText takes all ${all} chips of a slice, of which the plan leaves ${idleBeside} idle; it runs on ${printedSlices(slices, topology)} of its own`
    },
  },
]
