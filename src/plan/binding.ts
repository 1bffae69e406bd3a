/**
 * What a plan is bound by: where the time would be, did all communication overlap that can. Compute beside the
 * busiest part of the network, the waiting for HBM, or the pipeline's bubble: the largest.
 */
import { ofStage } from '../cost/composed.ts'
import { stageTime } from '../cost/stage-time.ts'
import { createTraffic, firstResource, resourcesOf, type Traffic } from '../cost/traffic.ts'
import type { Network } from '../hardware/cluster.ts'
import { resourceCount } from '../hardware/collective.ts'
import { type Axis, axes } from '../sharding/axis.ts'
import type { Seconds } from '../units.ts'
import type { Costing } from './costing.ts'
import type { TimeAccount } from './plan.ts'

export interface Binding {
  readonly bottleneck: 'compute' | 'hbm' | 'communication' | 'pipelineBubble'
  /** Of communication: the axis that moves longest, and the part of the network that is busiest. */
  readonly detail: { readonly axis: Axis; readonly network: string } | null
  /** Compute over the time that the busiest part of the network is busy; null without communication. */
  readonly communicationHeadroom: number | null
}

export function binding(costing: Costing, time: TimeAccount): Binding {
  const computing = time.compute + time.hbm + time.rematerialization
  const { resource, seconds } = busiest(costing)
  const communicationHeadroom = seconds > 0 ? computing / seconds : null
  const waiting = Math.max(computing, time.pipelineBubble)
  // Equal within rounding is compute-bound: the roofline's ridge.
  if (seconds > waiting * (1 + 1e-9)) {
    const heaviest = [...axes].sort((a, b) => time.communication[b] - time.communication[a])[0] ?? 'data'
    const network = resourceName(costing.model.problem.cluster.network, resource)
    return { bottleneck: 'communication', detail: { axis: heaviest, network }, communicationHeadroom }
  }
  if (time.pipelineBubble > computing)
    return { bottleneck: 'pipelineBubble', detail: null, communicationHeadroom }
  const bottleneck = time.hbm > time.compute + time.rematerialization ? 'hbm' : 'compute'
  return { bottleneck, detail: null, communicationHeadroom }
}

/** The part of the network that is busy longest in a step, and how long, on the stage that the plan waits for. */
function busiest({ model, compute, traffic, longest, layers, candidate }: Costing): {
  readonly resource: number
  readonly seconds: Seconds
} {
  const forward = createTraffic(model.resources)
  const backward = createTraffic(model.resources)
  stageTime(model, compute, traffic, longest, layers, candidate.mix, 'lower', { forward, backward })
  const { gradients, weights } = ofStage(traffic, longest)
  const once = [gradients, weights]
  const seconds = Array.from({ length: model.resources }, (_, resource) => {
    const perStep = once.reduce((sum, part) => sum + busy(part, resource), 0) * longest.held * longest.layers
    return layers.microbatches * (busy(forward, resource) + busy(backward, resource)) + perStep
  })
  const most = Math.max(0, ...seconds)
  return { resource: Math.max(0, seconds.indexOf(most)), seconds: most }
}

function busy(traffic: Traffic, resource: number): Seconds {
  return traffic[firstResource + resourcesOf(traffic) + resource] ?? 0
}

function resourceName(network: Network, resource: number): string {
  if (resource >= resourceCount(network)) return 'host'
  if (network.kind === 'switched') return network.tiers[resource]?.name ?? 'network'
  return resource < network.topology.length ? 'ici' : 'dcn'
}
