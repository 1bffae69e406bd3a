/** What a stage computes in one microbatch, by cause; by default the stage that determines the step. */
import type { CompiledProduct } from '../../cost/compile/compile.ts'
import type { LayerWindows, StageModel } from '../../cost/compile/stage-model.ts'
import { termValue } from '../../cost/compile/term.ts'
import { arithmeticTime, productTime } from '../../cost/compute/compute.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import type { Flops, Seconds } from '../../units.ts'
import type { Costing } from './costing.ts'

export interface Work {
  /** Time on the matrix unit, without recomputation. */
  readonly arithmetic: Seconds
  /** Time beyond that, spent waiting for HBM. */
  readonly waiting: Seconds
  readonly recomputation: Seconds
  readonly recomputedFlops: Flops
}

const nothing: Work = { arithmetic: 0, waiting: 0, recomputation: 0, recomputedFlops: 0 }

export function stageWork(costing: Costing, group: StageGroup = costing.longest): Work {
  const { stage } = costing
  const head = group.last
    ? [work(stage.head.forward.products, costing), work(stage.head.backward.products, costing)]
    : []
  return head.map((one) => times(one, 1 / group.held)).reduce(plus, layerWork(costing, group))
}

/** FLOPs that all stages together recompute for one microbatch; the head is counted once. */
export function recomputedFlops(costing: Costing): Flops {
  const { stage, candidate } = costing
  return candidate.groups.reduce(
    (sum, group) => sum + group.stages * layerWork(costing, group).recomputedFlops,
    work(stage.head.backward.products, costing).recomputedFlops,
  )
}

function layerWork(costing: Costing, group: StageGroup): Work {
  const { model, stage, candidate } = costing
  const { mix } = candidate
  const again = Math.min(mix.count, group.layers)
  const parts = layersOf(model, stage, group).flatMap(({ layer, share }) => {
    const backward = (policy: number) => layer.backward[policy]?.products ?? []
    return [
      times(work(layer.forward.products, costing), share * group.layers),
      times(work(backward(mix.policy), costing), share * (group.layers - again)),
      times(work(backward(mix.other), costing), share * again),
    ]
  })
  return parts.reduce(plus, nothing)
}

/** Kinds of layers in a stage, with the fraction of its layers that are of each kind. */
function layersOf(
  model: CostModel,
  stage: StageModel,
  { composition }: StageGroup,
): readonly { readonly layer: LayerWindows; readonly share: number }[] {
  const kinds = model.kinds?.()
  if (!composition || !kinds) return [{ layer: stage.layer, share: 1 }]
  const { layers, dense, sparse } = composition
  const windows = (kind: CostModel) => stageModel(kind, stage.zeroStage).layer
  return [
    { layer: windows(kinds.dense), share: dense / layers },
    { layer: windows(kinds.sparse), share: sparse / layers },
  ]
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
