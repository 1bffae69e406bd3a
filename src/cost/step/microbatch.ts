/**
 * What one microbatch computes and moves, per layer and at the ends of the model: shared by every schedule and policy mix.
 * Layers are the model's average one, or a stage's own (cost/compile/composed.ts).
 */
import { remembered } from '../../known.ts'
import type { Composition } from '../../model/composition.ts'
import { keepsCopies } from '../../recipe/policy.ts'
import { axisBit } from '../../sharding/axis.ts'
import type { Bytes, Seconds } from '../../units.ts'
import type { NetworkCosts } from '../communication/network.ts'
import { operationTime } from '../communication/operation-time.ts'
import {
  addBuckets,
  addPermute,
  bucketBytes,
  createTraffic,
  exposedAt,
  type RoutedOverlap,
  type Traffic,
  totalAt,
} from '../communication/traffic.ts'
import type { Bucket, CompiledComponent, CompiledProduct } from '../compile/compile.ts'
import { blend, type Composed, ofKinds } from '../compile/composed.ts'
import type { StageModel } from '../compile/stage-model.ts'
import { type Scale, sumTerms, termValue } from '../compile/term.ts'
import { computeTime } from '../compute/compute.ts'
import { type LayerWork, summed, workTimes } from '../compute/work.ts'
import { type CostModel, stageModel } from '../model.ts'

/** Compute time of one microbatch, per layer and at the ends; independent of placement and ZeRO stage. */
export interface ComputeNumbers extends Composed<ComputeNumbers> {
  readonly forward: Seconds
  readonly backward: readonly Seconds[]
  readonly headForward: Seconds
  readonly headBackward: Seconds
  /** Time of a layer's backward pass, and of the head's, that only the optimizer waits for; the same under every policy. */
  readonly weightGradients: Seconds
  readonly headWeightGradients: Seconds
}

export function computeNumbers(model: CostModel, scale: Scale): ComputeNumbers {
  const { work, rates } = model
  const seconds = workTimes(work, scale, rates)
  const numbers = (of: LayerWork): ComputeNumbers => ({
    forward: summed(of.forward, seconds),
    backward: of.backward.map((sum) => summed(sum, seconds)),
    headForward: summed(of.headForward, seconds),
    headBackward: summed(of.headBackward, seconds),
    weightGradients: summed(of.weightGradients, seconds),
    headWeightGradients: summed(of.headWeightGradients, seconds),
  })
  const average = numbers(work.average)
  if (!work.kinds) return average
  const { dense, sparse } = ofKinds(work.kinds, numbers)
  return {
    ...average,
    of: remembered((composition) => ({
      ...average,
      forward: blend(composition, dense.forward, sparse.forward),
      backward: dense.backward.map((time, policy) => blend(composition, time, sparse.backward[policy] ?? 0)),
      weightGradients: blend(composition, dense.weightGradients, sparse.weightGradients),
    })),
  }
}

/** Communication of a layer. */
interface LayerTraffic {
  readonly forward: Traffic
  /** By policy. */
  readonly backward: (policy: number) => Traffic
  readonly gradients: Traffic
  readonly weights: Traffic
  /** By policy: time to move a layer's arrays to the host, or back. */
  readonly host: readonly Seconds[]
}

/** Communication of one microbatch on one placement, per layer and at the ends. */
export interface TrafficNumbers extends LayerTraffic, Composed<TrafficNumbers> {
  readonly embedding: EndTraffic
  readonly head: EndTraffic
  /** One transfer between stages. */
  readonly transfer: Traffic
  readonly transferTime: Seconds
}

type EndTraffic = Readonly<Record<keyof CompiledComponent, Traffic>>

/** `routed` is the share of what is sent to experts and back that hides behind another microbatch; by default only what is assumed to hide anyway. */
export function trafficNumbers(
  model: CostModel,
  stage: StageModel,
  scale: Scale,
  costs: NetworkCosts,
  routed = waited(model),
): TrafficNumbers {
  const traffic = trafficOf(model, scale, costs, routed.share)
  const alone =
    routed.share === routed.recomputed ? traffic : trafficOf(model, scale, costs, routed.recomputed)
  const end = (component: CompiledComponent): EndTraffic => ({
    forward: traffic(component.forward.buckets),
    backward: traffic(component.backward.buckets),
    gradients: traffic(component.gradients.buckets),
    weights: traffic(component.weights.buckets),
  })
  const transfer = createTraffic(model.resources)
  const [embedding, head] = [end(stage.embedding), end(stage.head)]
  const cost = costs[axisBit.pipeline]
  if (cost && cost.chips > 1) {
    const bytes = termValue(model.boundary, scale)
    addPermute(transfer, bytes, cost, model.problem.assumptions.overlapPrefetched)
    const shared = sharedGradientBytes(model, stage, scale)
    if (shared > 0) for (const { gradients } of [embedding, head]) addPermute(gradients, shared, cost, 0)
  }
  const ways = { traffic, alone }
  const average: TrafficNumbers = {
    ...layerTraffic(model, stage, scale, ways),
    embedding,
    head,
    transfer,
    transferTime: transfer[totalAt] ?? 0,
  }
  const kinds = model.kinds?.()
  if (!kinds) return average
  const { dense, sparse } = ofKinds(kinds, (kind) =>
    layerTraffic(kind, stageModel(kind, stage.zeroStage), scale, ways),
  )
  return {
    ...average,
    of: remembered((composition) => ({ ...average, ...blendedTraffic(composition, dense, sparse) })),
  }
}

/**
 * Bytes of gradients that the first and the last of several stages sum where both hold the same table, once a step and waited for: each sends
 * the other what it has (`_allreduce_word_embedding_grads` in finalize_model_grads of Megatron Core, after replicas have summed theirs).
 */
export function sharedGradientBytes({ problem }: CostModel, { headStates }: StageModel, scale: Scale): Bytes {
  return problem.model.tiedEmbeddings ? sumTerms(headStates.gradients, scale) : 0
}

function waited({ problem }: CostModel): RoutedOverlap {
  const { overlapExchange } = problem.assumptions
  return { share: overlapExchange, recomputed: overlapExchange }
}

type TrafficOf = (buckets: readonly Bucket[], products?: readonly CompiledProduct[]) => Traffic

/** Traffic that runs beside other microbatches (`traffic`), and traffic that runs beside none (`alone`). */
interface Ways {
  readonly traffic: TrafficOf
  readonly alone: TrafficOf
}

function trafficOf(model: CostModel, scale: Scale, costs: NetworkCosts, routedOverlap: number): TrafficOf {
  const { assumptions, model: transformer } = model.problem
  const { experts } = transformer
  return (buckets, products = []) => {
    const sum = createTraffic(model.resources)
    const passedShare = shareBesideScores(products, buckets, model, scale, costs)
    addBuckets(sum, buckets, scale, costs, { assumptions, experts, routedOverlap, passedShare })
    return sum
  }
}

function layerTraffic(
  model: CostModel,
  { layer }: StageModel,
  scale: Scale,
  { traffic, alone }: Ways,
): LayerTraffic {
  const backward: Traffic[] = []
  const forward = traffic(layer.forward.buckets, layer.forward.products)
  return {
    forward,
    backward: (policy) => {
      backward[policy] ??= backwardTraffic(model, layer, policy, { traffic, alone }, forward)
      return backward[policy]
    },
    gradients: traffic(layer.gradients.buckets),
    weights: traffic(layer.weights.buckets),
    host: model.offloaded.map(
      (terms) => sumTerms(terms, scale) / model.problem.cluster.chip.hostBytesPerSecond,
    ),
  }
}

/**
 * A layer that is recomputed whole runs beside no other microbatch. What its forward pass is taken to have hidden of what is sent to
 * experts, it waits for here: forward passes must be the same under every policy, which programmes of memory rely on.
 */
function backwardTraffic(
  { policies }: CostModel,
  layer: StageModel['layer'],
  policy: number,
  { traffic, alone }: Ways,
  forward: Traffic,
): Traffic {
  const { buckets = [], products = [] } = layer.backward[policy] ?? {}
  const row = policies[policy]
  if (traffic === alone || !row || keepsCopies(row)) return traffic(buckets, products)
  const own = alone(buckets, products)
  const waiting = alone(layer.forward.buckets, layer.forward.products)
  own[exposedAt] = (own[exposedAt] ?? 0) + (waiting[exposedAt] ?? 0) - (forward[exposedAt] ?? 0)
  return own
}

function blendedTraffic(composition: Composition, dense: LayerTraffic, sparse: LayerTraffic): LayerTraffic {
  // Not by `map`, which makes arrays that may have holes: sums read such numbers as objects.
  const blended = (one: Traffic, other: Traffic): Traffic => {
    const sum = one.slice()
    for (let at = 0; at < sum.length; at++) sum[at] = blend(composition, one[at] ?? 0, other[at] ?? 0)
    return sum
  }
  const backward: Traffic[] = []
  return {
    forward: blended(dense.forward, sparse.forward),
    backward: (policy) => {
      backward[policy] ??= blended(dense.backward(policy), sparse.backward(policy))
      return backward[policy]
    },
    gradients: blended(dense.gradients, sparse.gradients),
    weights: blended(dense.weights, sparse.weights),
    host: dense.host.map((seconds, policy) => blend(composition, seconds, sparse.host[policy] ?? 0)),
  }
}

/**
 * The share of passing keys around that is no longer than the scores computed meanwhile (formulas 12). Scores that are computed
 * again hide none of it: what a policy recomputes must not make a step shorter.
 */
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
  const scores = products.filter(({ attention, recomputed }) => attention && !recomputed)
  return Math.min(1, computeTime(scores, scale, rates) / passing)
}
