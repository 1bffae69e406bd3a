/**
 * What a plan is bound by: where the time would be, did all communication overlap that can, or where it is, if that is more.
 * Kernels beside the busiest part of the network and what is waited for it; the pipeline's bubble; overheads; the optimizer: the
 * largest. Kernels are HBM-bound where they wait for it longer than they compute.
 */
import type { Axis } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import type { NetworkUse } from '../account/network-use.ts'
import type { TimeAccount } from '../plan.ts'

export interface Binding {
  readonly bottleneck: 'compute' | 'hbm' | 'communication' | 'pipelineBubble' | 'overhead' | 'optimizer'
  /** Of communication: the part of the network that is busiest, and the axis that it is so for. */
  readonly detail: { readonly axis: Axis | null; readonly network: string } | null
  /** Kernels over the time that the busiest part of the network is busy; null without communication. */
  readonly communicationHeadroom: number | null
}

export function binding(time: TimeAccount, busiest: NetworkUse | null): Binding {
  const { pipelineBubble, overhead, optimizer, exposedCommunication } = time
  const kernels = kernelSeconds(time)
  const communicationHeadroom = busiest ? kernels / busiest.seconds : null
  const others = [
    [time.hbm > time.compute + time.rematerialization ? 'hbm' : 'compute', kernels],
    ['pipelineBubble', pipelineBubble],
    ['overhead', overhead],
    ['optimizer', optimizer],
  ] as const
  const [bottleneck, most] = others.reduce((a, b) => (b[1] > a[1] ? b : a))
  // Equal within rounding is not communication: the roofline's ridge.
  if (busiest && Math.max(busiest.seconds, exposedCommunication) > most * (1 + 1e-9)) {
    const detail = { axis: busiest.axis, network: busiest.name }
    return { bottleneck: 'communication', detail, communicationHeadroom }
  }
  return { bottleneck, detail: null, communicationHeadroom }
}

function kernelSeconds({ compute, hbm, rematerialization }: TimeAccount): Seconds {
  return compute + hbm + rematerialization
}
