/**
 * What bounds a training plan: the largest of kernels, the busiest part of the network, the pipeline bubble, overheads
 * and the optimizer. The network counts with the time that it is busy or is waited for, whichever is longer: what would
 * remain even if all communication overlapped. Kernels count as HBM-bound if they wait for HBM longer than they
 * compute.
 */
import type { Seconds } from '../../units.ts'
import type { NetworkUse } from '../account/network-use.ts'
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

/** At the ridge of the roofline, equal within rounding, a plan does not count as communication-bound. */
const ridge = 1 + 1e-9

export function binding(time: TimeAccount, busiest: NetworkUse | null): Binding {
  const { pipelineBubble, overhead, optimizer, exposedCommunication } = time
  const others = [
    [time.hbm > time.compute + time.rematerialization ? 'hbm' : 'compute', kernelSeconds(time)],
    ['pipelineBubble', pipelineBubble],
    ['overhead', overhead],
    ['optimizer', optimizer],
  ] as const
  const [bottleneck, most] = others.reduce((a, b) => (b[1] > a[1] ? b : a))
  if (busiest && Math.max(busiest.seconds, exposedCommunication) > most * ridge) {
    return { bottleneck: 'communication', bottleneckDetail: detailOf(busiest) }
  }
  return { bottleneck, bottleneckDetail: null }
}

/**
 * What bounds an inference plan: the largest part of its step. Communication counts with the busiest network's time if
 * that is longer than the kernels' time.
 */
export function phaseBinding(time: TimeAccount, busiest: NetworkUse | null): Binding {
  const outlasts = busiest && busiest.seconds > kernelSeconds(time) * ridge
  const parts = [
    ['compute', time.compute],
    ['hbm', time.hbm],
    ['communication', Math.max(time.exposedCommunication, outlasts ? busiest.seconds : 0)],
    ['pipelineBubble', time.pipelineBubble],
    ['overhead', time.overhead],
  ] as const
  const [bottleneck] = parts.reduce((a, b) => (b[1] > a[1] ? b : a))
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
