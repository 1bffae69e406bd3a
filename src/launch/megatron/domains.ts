/**
 * Groups of experts and NVLink domains. HybridEP counts the ranks of its group that share a rank's domain, and asserts that this divides the group: a group
 * lies within a domain, or on equal parts of several. Groups fill ranks in order, each the tensor ranks of its chips. Source: deepseek-ai/DeepEP
 * 94a9f8f (branch hybrid-ep, July 2026), deep_ep/hybrid_ep_buffer.py; csrc/hybrid_ep/allocator/allocator.cu (detect_accessible_ranks).
 */

import { innermostUnit } from '../../hardware/network/innermost-unit.ts'
import type { Rule } from '../../rules/rule.ts'
import { meshSize } from '../../sharding/axis.ts'
import { groupFault } from '../deep-ep-groups.ts'
import { expertRanks } from '../run/experts.ts'
import type { MeshRun } from '../run/run.ts'
import { backendOf, isSentDirectly } from './experts.ts'

export const domainsRule: Rule<MeshRun> = {
  broken: (run) => {
    const { model, mesh, problem } = run
    if (!model.experts || backendOf(run) !== 'hybridep' || !isSentDirectly(run)) return false
    return straddles(mesh.tensor * mesh.expert, innermostUnit(problem.cluster), meshSize(mesh))
  },
  says: (run) =>
    `HybridEP has groups of experts within an NVLink domain, or on equal parts of several: some of ${expertRanks(run).ranks} ranks lie on unequal parts of domains of ${innermostUnit(run.problem.cluster)} (assumptions.hierarchicalDispatch false plans for an AllToAll instead)`,
}

/** DeepEP itself, for which newer releases are taken: containers differ. Groups are the tensor ranks of chips that hold different experts (fused_a2a.py). */
export const deepEpGroupsRule: Rule<MeshRun> = {
  broken: (run) => deepEpFault(run) !== null,
  says: (run) =>
    `DeepEP's ${deepEpFault(run)} (assumptions.hierarchicalDispatch false plans for an AllToAll instead)`,
}

function deepEpFault(run: MeshRun): string | null {
  const { model, mesh } = run
  if (!model.experts || backendOf(run) !== 'deepep' || !isSentDirectly(run)) return null
  return groupFault('since', 'many', mesh.tensor * mesh.expert)
}

/** Whether some block of ranks has unequal parts on units that ranks fill in order. */
function straddles(block: number, unit: number, ranks: number): boolean {
  // Blocks lie alike again where one starts with a unit.
  for (let start = 0; start < ranks && (start === 0 || start % unit !== 0); start += block) {
    const first = Math.min(block, unit - (start % unit))
    const rest = block - first
    if (rest > 0 && (rest % unit || unit) !== first) return true
    if (rest > unit && first !== unit) return true
  }
  return false
}
