/** What the stage that a plan waits for computes in one microbatch, by cause. */
import type { CompiledProduct } from '../cost/compile.ts'
import { arithmeticTime, productTime } from '../cost/compute.ts'
import { termValue } from '../cost/term.ts'
import type { Flops, Seconds } from '../units.ts'
import type { Costing } from './costing.ts'

export interface Work {
  /** On the matrix unit, recomputation apart. */
  readonly arithmetic: Seconds
  /** Beyond that, waiting for HBM. */
  readonly waiting: Seconds
  readonly recomputation: Seconds
  readonly recomputedFlops: Flops
}

const nothing: Work = { arithmetic: 0, waiting: 0, recomputation: 0, recomputedFlops: 0 }

export function stageWork(costing: Costing): Work {
  const { stage, longest } = costing
  const head = longest.last
    ? [work(stage.head.forward.products, costing), work(stage.head.backward.products, costing)]
    : []
  return head.map((one) => times(one, 1 / longest.held)).reduce(plus, layerWork(costing))
}

/** What one microbatch takes again on all stages: the longest stands for them, by its share of the layers; there is one head. */
export function recomputedFlops(costing: Costing): Flops {
  const { stage, longest, model } = costing
  const share = longest.layers / model.problem.model.layers
  const head = work(stage.head.backward.products, costing)
  return layerWork(costing).recomputedFlops / share + head.recomputedFlops
}

function layerWork(costing: Costing): Work {
  const { stage, longest, candidate } = costing
  const { mix } = candidate
  const again = Math.min(mix.count, longest.layers)
  const backward = (policy: number) => stage.layer.backward[policy]?.products ?? []
  return [
    times(work(stage.layer.forward.products, costing), longest.layers),
    times(work(backward(mix.policy), costing), longest.layers - again),
    times(work(backward(mix.other), costing), again),
  ].reduce(plus, nothing)
}

function work(products: readonly CompiledProduct[], { scale, model }: Costing): Work {
  return products.reduce((sum, product) => {
    const arithmetic = product.times * arithmeticTime(product, scale, model.rates)
    const whole = product.times * productTime(product, scale, model.rates)
    const one: Work = product.recomputed
      ? { ...nothing, recomputation: whole, recomputedFlops: product.times * termValue(product.flops, scale) }
      : { ...nothing, arithmetic, waiting: whole - arithmetic }
    return plus(sum, one)
  }, nothing)
}

function plus(a: Work, b: Work): Work {
  return {
    arithmetic: a.arithmetic + b.arithmetic,
    waiting: a.waiting + b.waiting,
    recomputation: a.recomputation + b.recomputation,
    recomputedFlops: a.recomputedFlops + b.recomputedFlops,
  }
}

function times(a: Work, count: number): Work {
  return {
    arithmetic: a.arithmetic * count,
    waiting: a.waiting * count,
    recomputation: a.recomputation * count,
    recomputedFlops: a.recomputedFlops * count,
  }
}
