/**
 * Groups of chips in which servers send tokens to experts by DeepEP. Its kernels for many tokens reach chips of one host, or of two trays of four; more
 * trays they take for nodes of eight, whose memory a chip of another host cannot open. Source: deep-ep-groups.ts; deepseek-ai/DeepEP issue 392 ("the
 * normal mode doesn't support GB200 yet"), vllm-project/vllm pull request 27328 (a fork for eight).
 */
import { joinsHosts } from '../../hardware/cluster/hosts.ts'
import { expertKernels } from '../../hardware/vendor.ts'
import type { Rule } from '../../rules/rule.ts'
import { type DeepEpRelease, groupFault, type SendingKernels } from '../deep-ep-groups.ts'
import type { ServedMode, Serving } from './serving.ts'

const mostOnTrays = 8

/** By which kernels a server of each kind sends; null where it is not written to send. */
export type KernelsOf = Readonly<Record<ServedMode, SendingKernels | null>>

export function sentGroupsRule(framework: string, release: DeepEpRelease, kernels: KernelsOf): Rule<Serving> {
  return {
    broken: (serving) => faultOf(serving, release, kernels) !== null,
    says: (serving) =>
      `${framework} sends tokens to experts by DeepEP, whose ${faultOf(serving, release, kernels)}`,
  }
}

function faultOf(
  { experts, mode, tensors, setting }: Serving,
  release: DeepEpRelease,
  of: KernelsOf,
): string | null {
  const { cluster } = setting
  const kernels = of[mode]
  if (experts?.sends !== true || kernels === null || expertKernels(cluster.chip) !== 'DeepEP') return null
  const beyond = kernels === 'many' && tensors > mostOnTrays && joinsHosts(cluster)
  return beyond
    ? `kernels for many tokens send among at most ${mostOnTrays} chips of several trays, not among ${tensors}`
    : groupFault(release, kernels, tensors)
}
