/** What stages compute in one microbatch, by cause. */
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

/** What the stage that determines the step computes. */
export function stageWork(costing: Costing): Work {
  const { stage, longest } = costing
  const { forward, backward } = stage.head
  const ofHead = [forward.products, backward.products].map((each) => [each, 1 / longest.held] as const)
  return workOf([...layerProducts(costing, longest), ...(longest.last ? ofHead : [])], costing)
}

/** FLOPs that all stages together recompute for one microbatch; the head is counted once. */
export function recomputedFlops(costing: Costing): Flops {
  const { stage, candidate } = costing
  const flopsOf = (repeated: readonly Repeated[]) => workOf(repeated, costing).recomputedFlops
  return candidate.groups.reduce(
    (sum, group) => sum + group.stages * flopsOf(layerProducts(costing, group)),
    flopsOf([[stage.head.backward.products, 1]]),
  )
}

/** Products, and how often they run. */
type Repeated = readonly [products: readonly CompiledProduct[], times: number]

function layerProducts(costing: Costing, group: StageGroup): readonly Repeated[] {
  const { model, stage, candidate } = costing
  const { mix } = candidate
  const again = Math.min(mix.count, group.layers)
  return layersOf(model, stage, group).flatMap(({ layer, share }): readonly Repeated[] => {
    const backward = (policy: number) => layer.backward[policy]?.products ?? []
    return [
      [layer.forward.products, share * group.layers],
      [backward(mix.policy), share * (group.layers - again)],
      [backward(mix.other), share * again],
    ]
  })
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

function workOf(repeated: readonly Repeated[], { scale, model }: Costing): Work {
  const sum = { arithmetic: 0, waiting: 0, recomputation: 0, recomputedFlops: 0 }
  for (const [products, times] of repeated) {
    const once = { arithmetic: 0, waiting: 0, recomputation: 0, recomputedFlops: 0 }
    for (const product of products) {
      const arithmetic = product.times * arithmeticTime(product, scale, model.rates)
      const whole = product.times * productTime(product, scale, model.rates)
      if (product.recomputed) {
        once.recomputation += whole
        once.recomputedFlops += product.times * termValue(product.flops, scale)
      } else {
        once.arithmetic += arithmetic
        once.waiting += whole - arithmetic
      }
    }
    sum.arithmetic += once.arithmetic * times
    sum.waiting += once.waiting * times
    sum.recomputation += once.recomputation * times
    sum.recomputedFlops += once.recomputedFlops * times
  }
  return sum
}
