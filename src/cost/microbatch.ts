/** What one microbatch computes and moves, per layer and at the ends of the model: shared by every schedule and policy mix. */
import { collectiveTime } from '../hardware/collective.ts'
import { axisBit } from '../sharding/axis.ts'
import type { Seconds } from '../units.ts'
import type { Bucket, CompiledProduct } from './compile.ts'
import { computeTime } from './compute.ts'
import { sumTerms } from './memory.ts'
import type { CostModel, StageModel } from './model.ts'
import type { NetworkCosts } from './network.ts'
import { type Scale, termValue } from './term.ts'
import { addBuckets, addPermute, bucketBytes, createTraffic, operationTime, type Traffic } from './traffic.ts'

/** Compute of one microbatch, per layer and at the ends; independent of placement and ZeRO stage. */
export interface ComputeNumbers {
  readonly forward: Seconds
  readonly backward: readonly Seconds[]
  readonly headForward: Seconds
  readonly headBackward: Seconds
  /** Of a layer's backward pass, whatever the policy, and of the head's: what only the optimizer waits for. */
  readonly weightGradients: Seconds
  readonly headWeightGradients: Seconds
}

export function computeNumbers(model: CostModel, scale: Scale): ComputeNumbers {
  const [stage] = model.stages
  if (!stage) throw new RangeError('No ZeRO stage was compiled')
  const time = (products: Parameters<typeof computeTime>[0]) => computeTime(products, scale, model.rates)
  return {
    forward: time(stage.layer.forward.products),
    backward: stage.layer.backward.map(({ products }) => time(products)),
    headForward: time(stage.head.forward.products),
    headBackward: time(stage.head.backward.products),
    weightGradients: time(model.weightGradients.layer),
    headWeightGradients: time(model.weightGradients.head),
  }
}

/** Communication of one microbatch on one placement, per layer and at the ends. */
export interface TrafficNumbers {
  readonly forward: Traffic
  /** By policy. */
  readonly backward: (policy: number) => Traffic
  readonly gradients: Traffic
  readonly weights: Traffic
  readonly embedding: EndTraffic
  readonly head: EndTraffic
  /** One transfer between stages. */
  readonly transfer: Traffic
  readonly transferTime: Seconds
  /** By policy: a layer's arrays to the host, or back. */
  readonly host: readonly Seconds[]
}

interface EndTraffic {
  readonly forward: Traffic
  readonly backward: Traffic
  readonly gradients: Traffic
  readonly weights: Traffic
}

/** `hidesRouted`: tokens on their way to experts and back overlap as what is prefetched does (schedules, stages.ts). */
export function trafficNumbers(
  model: CostModel,
  stage: StageModel,
  scale: Scale,
  costs: NetworkCosts,
  hidesRouted = false,
): TrafficNumbers {
  const { assumptions, model: transformer } = model.problem
  const traffic = (buckets: readonly Bucket[], products: readonly CompiledProduct[] = []): Traffic => {
    const sum = createTraffic(model.resources)
    const passedShare = shareBesideScores(products, buckets, model, scale, costs)
    addBuckets(sum, buckets, scale, costs, assumptions, {
      experts: transformer.experts,
      hidesRouted,
      passedShare,
    })
    return sum
  }
  const end = (component: StageModel['head']): EndTraffic => ({
    forward: traffic(component.forward.buckets),
    backward: traffic(component.backward.buckets),
    gradients: traffic(component.gradients.buckets),
    weights: traffic(component.weights.buckets),
  })
  const backward: Traffic[] = []
  const transfer = createTraffic(model.resources)
  const cost = costs[axisBit.pipeline]
  const bytes = termValue(model.boundary, scale)
  if (cost && cost.chips > 1) addPermute(transfer, bytes, cost, assumptions.overlapPrefetched)
  return {
    forward: traffic(stage.layer.forward.buckets, stage.layer.forward.products),
    backward: (policy) => {
      const window = stage.layer.backward[policy]
      backward[policy] ??= traffic(window?.buckets ?? [], window?.products)
      return backward[policy]
    },
    gradients: traffic(stage.layer.gradients.buckets),
    weights: traffic(stage.layer.weights.buckets),
    embedding: end(stage.embedding),
    head: end(stage.head),
    transfer,
    transferTime:
      cost && cost.chips > 1
        ? collectiveTime(bytes, cost.permutePerByte, cost.permuteLatency, cost.latencyIsFloor)
        : 0,
    host: model.offloaded.map(
      (terms) => sumTerms(terms, scale) / model.problem.cluster.chip.hostBytesPerSecond,
    ),
  }
}

/** What of the passing of keys is no longer than the scores that are computed meanwhile (formulas 12). */
function shareBesideScores(
  products: readonly CompiledProduct[],
  buckets: readonly Bucket[],
  { rates }: CostModel,
  scale: Scale,
  costs: NetworkCosts,
): number {
  let passing = 0
  for (const bucket of buckets) {
    const cost = bucket.passed ? costs[bucket.over] : undefined
    if (cost) passing += operationTime(bucket.operation, bucketBytes(bucket, scale), cost)
  }
  if (passing === 0) return 1
  const scores = products.filter(({ attention }) => attention)
  return Math.min(1, computeTime(scores, scale, rates) / passing)
}
