/**
 * What binds a plan: where most of its step could not be shortened but by that. A window that the network binds counts for the network, for as
 * long as it takes, and its kernels do not; other windows count for their kernels, and for the network with what is waited
 * for. Beside them stand the pipeline bubble, overheads and the optimizer.
 */
import type { Seconds } from '../../units.ts'
import type { NetworkUse } from '../account/network-use.ts'
import type { Bound } from '../account/window.ts'
import type { Plan, TimeAccount } from '../plan.ts'

export type Binding = Pick<Plan, 'bottleneck' | 'bottleneckDetail'>

/** Everything that a plan may be bound by. */
export const bottlenecks = [
  'compute',
  'hbm',
  'communication',
  'pipelineBubble',
  'overhead',
  'optimizer',
] as const

type Part = readonly [(typeof bottlenecks)[number], Seconds]

/** Kernels of training count as HBM-bound if they wait for HBM longer than they compute. */
export function binding(time: TimeAccount, bound: Bound, busiest: NetworkUse | null): Binding {
  const kernels = time.hbm > time.compute + time.rematerialization ? 'hbm' : 'compute'
  return boundBy([[kernels, bound.kernelShare * kernelSeconds(time)]], time, bound, busiest)
}

/** In inference, arithmetic and waiting for HBM count each for themselves. */
export function phaseBinding(time: TimeAccount, bound: Bound, busiest: NetworkUse | null): Binding {
  const { compute, hbm } = time
  const { kernelShare } = bound
  const kernels = [
    ['compute', kernelShare * compute],
    ['hbm', kernelShare * hbm],
  ] as const
  return boundBy(kernels, time, bound, busiest)
}

function boundBy(
  kernels: readonly Part[],
  { exposedCommunication, pipelineBubble, overhead, optimizer }: TimeAccount,
  { hidden }: Bound,
  busiest: NetworkUse | null,
): Binding {
  const parts: readonly Part[] = [
    ...kernels,
    ['communication', busiest ? exposedCommunication + hidden : 0],
    ['pipelineBubble', pipelineBubble],
    ['overhead', overhead],
    ['optimizer', optimizer],
  ]
  const [bottleneck] = parts.reduce((most, part) => (part[1] > most[1] ? part : most))
  return {
    bottleneck,
    bottleneckDetail: bottleneck === 'communication' ? busiest && detailOf(busiest) : null,
  }
}

/** The busiest part of the network, and the axis that uses it most. */
function detailOf({ axis, name }: NetworkUse): Plan['bottleneckDetail'] {
  return { axis, network: name }
}

export function kernelSeconds({ compute, hbm, rematerialization }: TimeAccount): Seconds {
  return compute + hbm + rematerialization
}
