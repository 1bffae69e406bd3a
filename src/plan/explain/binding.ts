/**
 * What a plan of training is bound by: where the time would be, did all communication overlap that can, or where it is, if that is more.
 * Kernels beside the busiest part of the network and what is waited for it; the pipeline's bubble; overheads; the optimizer: the
 * largest. Kernels are HBM-bound where they wait for it longer than they compute.
 */
import type { Seconds } from '../../units.ts'
import type { NetworkUse } from '../account/network-use.ts'
import type { Plan, TimeAccount } from '../plan.ts'

export type Binding = Pick<Plan, 'bottleneck' | 'bottleneckDetail'>

/** All that a plan may be bound by. */
export const bottlenecks = [
  'compute',
  'hbm',
  'communication',
  'pipelineBubble',
  'overhead',
  'optimizer',
] as const

/** Equal within rounding is not communication: the roofline's ridge. */
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

/** Of inference: the largest part of the step; the busiest network too, where it is busy for longer than kernels run. */
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

/** The part of the network that is busiest, and the axis that it is so for. */
function detailOf({ axis, name }: NetworkUse): Plan['bottleneckDetail'] {
  return { axis, network: name }
}

export function kernelSeconds({ compute, hbm, rematerialization }: TimeAccount): Seconds {
  return compute + hbm + rematerialization
}
