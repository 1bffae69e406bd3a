/**
 * What no layout of a request avoids, per chip and step, as numbers and monomials of the axis sizes (n chips in all):
 *
 *   compute    FLOPs of the batch / n at the efficiency of large matmuls, or HBM traffic / n where that is longer even with
 *              all of the batch at once, with the least recomputation; and once per layer what every microbatch takes:
 *              overheads, and the FLOPs that a small matmul loses
 *   flows      bytes that move over a set of axes O of g chips; an array that is divided by all but O moves
 *              V·(1 - 1/g) = c/n · (g - 1), one that `others` do not divide either c/n · Π others · (g - 1)
 *   states     bytes of weights, gradients and optimizer, c/n · Π of the axes that do not divide them
 *   updated    bytes that the optimizer reads and writes, likewise; what Muon multiplies is left out
 *
 * Everything is of the average stage, which is at most the longest: pipeline divides it by its size. Per-stage overheads
 * are not divided, because a pipeline takes as many steps more as it has stages: (m + (p-1)/v) · L/p · h >= L · h for any
 * m, as v > 1 needs m >= p. What weight gradients lose is left out where a schedule fills them into its bubble. Padding, replicated
 * heads and further microbatches only add.
 */
import type { Bucket, CompiledProduct } from '../../../cost/compile/compile.ts'
import type { StageModel } from '../../../cost/compile/stage-model.ts'
import {
  createScale,
  one,
  type Scale,
  setBatch,
  setMesh,
  type Term,
  termValue,
} from '../../../cost/compile/term.ts'
import { arithmeticTime } from '../../../cost/compute/compute.ts'
import type { StateTerms } from '../../../cost/memory/state-terms.ts'
import type { CostModel } from '../../../cost/model.ts'
import {
  type AxisSet,
  axisBit,
  axisSet,
  axisSets,
  replicatingAxes,
  unitMesh,
} from '../../../sharding/axis.ts'
import type { Seconds } from '../../../units.ts'
import { triedScheduleRows } from '../../layouts/choices.ts'

/** Stands for c · Π of the axes in `times`, to be divided by n. */
export interface Share {
  readonly amount: number
  readonly times: AxisSet
}

export interface Flow {
  readonly over: AxisSet
  /** Axes besides `over` that do not divide the array either. */
  readonly others: AxisSet
  readonly critical: boolean
  /** The c of the forward windows, and that of the backward windows. */
  readonly forward: number
  readonly backward: number
}

/** Compute of one pass, on one chip that does all of it. */
export interface PassWork {
  /** Time of products that their FLOPs bound, and of those that HBM traffic bounds, for the whole batch: divided by n. */
  readonly flopTime: Seconds
  readonly hbmTime: Seconds
  /** Time that small matmuls lose and overhead, once a layer whatever n is. */
  readonly lostFlopTime: Seconds
  readonly overhead: Seconds
}

export interface Unavoidable {
  readonly forward: PassWork
  readonly backward: PassWork
  /** The part of the backward pass that only the optimizer waits for. */
  readonly weightGradients: Omit<PassWork, 'overhead'>
  readonly flows: readonly Flow[]
  readonly states: readonly Share[]
  /** Seconds of HBM traffic. */
  readonly update: readonly Share[]
}

/** All axes but pipeline, which divides everything. */
const dividing = (axisSets - 1) & ~axisBit.pipeline
/** Axes that may hold copies of states. Tensor axes divide all states but norms, which are small and count as divided. */
const replicating = axisSet(replicatingAxes)

export function unavoidable(model: CostModel, stage: StageModel): Unavoidable {
  const { workload, assumptions, model: transformer } = model.problem
  const { layers } = transformer
  const scale = createScale()
  setMesh(scale, unitMesh, model.extents, assumptions)
  setBatch(scale, workload.batchTokens / workload.sequenceLength)
  const work = (products: readonly CompiledProduct[]) => productTimes(products, model, scale)
  const { layer, head } = stage
  const backward = layer.backward.map(({ products }) => work(products)).reduce(lesserTimes)
  const pass = (one: ProductTimes, ends: ProductTimes): PassWork => ({
    flopTime: layers * one.flopTime + ends.flopTime,
    hbmTime: layers * one.hbmTime + ends.hbmTime,
    lostFlopTime: layers * one.lostFlopTime + ends.lostFlopTime,
    overhead: layers * model.layerOverhead,
  })
  const gradients = model.weightGradients
  const weightGradients = pass(work(gradients.layer), work(gradients.head))
  const behind = pass(backward, work(head.backward.products))
  const fills = triedScheduleRows(model.problem).some(({ fillsOfBubble }) => (fillsOfBubble ?? 0) > 0)
  const filled = fills ? weightGradients.lostFlopTime : 0
  return {
    forward: pass(work(layer.forward.products), work(head.forward.products)),
    backward: { ...behind, lostFlopTime: Math.max(0, behind.lostFlopTime - filled) },
    weightGradients,
    flows: flowsOf(model, stage, scale),
    states: shares(
      partsOf(model, stage),
      ({ weights, gradients, optimizer }) => [
        ...weights,
        ...gradients,
        ...(assumptions.optimizerOnHost ? [] : optimizer),
      ],
      scale,
      1,
    ),
    update: assumptions.optimizerStep
      ? shares(partsOf(model, stage), ({ updated }) => updated, scale, model.rates.secondsPerByte)
      : [],
  }
}

type ProductTimes = Omit<PassWork, 'overhead'>

function productTimes(
  products: readonly CompiledProduct[],
  { rates }: CostModel,
  scale: Scale,
): ProductTimes {
  const large = { ...rates, halfFlops: 0, groupedSeconds: 0 }
  let [flopTime, hbmTime, lostFlopTime] = [0, 0, 0]
  for (const product of products) {
    const flops = product.times * arithmeticTime(product, scale, large)
    const traffic =
      product.times *
      product.bytes.reduce((sum, term) => sum + termValue(term, scale), 0) *
      rates.secondsPerByte
    if (flops < traffic) hbmTime += traffic
    else {
      flopTime += flops
      // A mesh may leave a chip a single expert, so a product is at least one matmul.
      lostFlopTime += product.times * arithmeticTime({ ...product, matmuls: one }, scale, rates) - flops
    }
  }
  return { flopTime, hbmTime, lostFlopTime }
}

function lesserTimes(a: ProductTimes, b: ProductTimes): ProductTimes {
  return {
    flopTime: Math.min(a.flopTime, b.flopTime),
    hbmTime: Math.min(a.hbmTime, b.hbmTime),
    lostFlopTime: Math.min(a.lostFlopTime, b.lostFlopTime),
  }
}

/** The c of each flow; what moves in a layer counts once for each layer. */
type Amounts = ReadonlyMap<string, number>

function flowsOf(model: CostModel, stage: StageModel, scale: Scale): readonly Flow[] {
  const { layers, tiedEmbeddings } = model.problem.model
  const { layer, embedding, head } = stage
  const amounts = (buckets: readonly Bucket[], times = 1) => flowAmounts(model, buckets, scale, times)
  const onceEnds = tiedEmbeddings ? [head] : [head, embedding]
  const forward = total([
    amounts(layer.forward.buckets, layers),
    amounts(layer.weights.buckets, layers),
    amounts(embedding.forward.buckets),
    amounts(head.forward.buckets),
    ...onceEnds.map(({ weights }) => amounts(weights.buckets)),
  ])
  const backward = total([
    layer.backward.map(({ buckets }) => amounts(buckets, layers)).reduce(lesserAmounts),
    amounts(layer.gradients.buckets, layers),
    amounts(embedding.backward.buckets),
    amounts(head.backward.buckets),
    ...onceEnds.map(({ gradients }) => amounts(gradients.buckets)),
  ])
  return [...new Set([...forward.keys(), ...backward.keys()])].map((key) => {
    const [over = 0, others = 0, critical = 0] = key.split(' ').map(Number)
    const [ahead, back] = [forward.get(key) ?? 0, backward.get(key) ?? 0]
    return { over, others, critical: critical === 1, forward: ahead, backward: back }
  })
}

function flowAmounts(model: CostModel, buckets: readonly Bucket[], scale: Scale, times: number): Amounts {
  // A switch that reduces does in one pass what otherwise takes two. AllToAlls move less than the bound could count, and are left out.
  const allReduce = model.problem.assumptions.inNetworkReduction ? 1 : 2
  const mayBeWhole = model.problem.assumptions.expertTensor === 'whole'
  const amounts = new Map<string, number>()
  for (const { operation, over, bytes, critical, held, times: share } of buckets) {
    if (operation === 'AllToAll' || (held && mayBeWhole)) continue
    const passes = operation === 'AllReduce' ? allReduce : 1
    for (const term of bytes) {
      const whole = dividing & ~term.mask
      if ((over & ~whole) !== 0) continue
      const key = `${over} ${whole & ~over} ${critical ? 1 : 0}`
      amounts.set(key, (amounts.get(key) ?? 0) + passes * times * share * termValue(term, scale))
    }
  }
  return amounts
}

function total(parts: readonly Amounts[]): Amounts {
  const sum = new Map<string, number>()
  for (const part of parts) for (const [key, amount] of part) sum.set(key, (sum.get(key) ?? 0) + amount)
  return sum
}

/** No mix of policies moves less of a flow than the policy that moves the least of it. */
function lesserAmounts(a: Amounts, b: Amounts): Amounts {
  return new Map([...a].map(([key, amount]) => [key, Math.min(amount, b.get(key) ?? 0)]))
}

/** A tied embedding is counted with the head, as on a single stage; what is then left of it are positions. */
function partsOf(
  { problem }: CostModel,
  stage: StageModel,
): readonly { readonly states: StateTerms; readonly times: number }[] {
  const { layers, tiedEmbeddings } = problem.model
  return [
    { states: stage.layerStates, times: layers },
    { states: stage.headStates, times: 1 },
    { states: tiedEmbeddings ? stage.positionStates : stage.embeddingStates, times: 1 },
  ]
}

function shares(
  parts: ReturnType<typeof partsOf>,
  pick: (states: StateTerms) => readonly Term[],
  scale: Scale,
  perUnit: number,
): readonly Share[] {
  const amounts = new Map<AxisSet, number>()
  for (const { states, times } of parts) {
    for (const term of pick(states)) {
      const whole = replicating & ~term.mask
      amounts.set(whole, (amounts.get(whole) ?? 0) + perUnit * times * termValue(term, scale))
    }
  }
  return [...amounts].map(([set, amount]) => ({ amount, times: set }))
}
