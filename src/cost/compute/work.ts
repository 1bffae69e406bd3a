/**
 * The arithmetic of a layer and of the head as sums over distinct products: passes, policies and kinds of layers run nearly
 * the same products and differ in how often. Of the 356 products of DeepSeek-V3's passes under three policies, and of its
 * two kinds of layers, only about fifty have to be timed.
 */
import { valueKey } from '../../recent.ts'
import type { Seconds } from '../../units.ts'
import type { CompiledProduct, Window } from '../compile/compile.ts'
import { type Kinds, ofKinds } from '../compile/composed.ts'
import type { StageModel } from '../compile/stage-model.ts'
import type { Scale } from '../compile/term.ts'
import { type ComputeRates, productTime } from './compute.ts'

/** Indices of products, and how often each counts. */
export interface WorkSum {
  readonly at: readonly number[]
  readonly times: readonly number[]
}

export interface LayerWork {
  readonly forward: WorkSum
  /** By policy. */
  readonly backward: readonly WorkSum[]
  readonly headForward: WorkSum
  readonly headBackward: WorkSum
  readonly weightGradients: WorkSum
  readonly headWeightGradients: WorkSum
}

export interface Work {
  readonly products: readonly CompiledProduct[]
  readonly average: LayerWork
  /** Null where all layers are alike. */
  readonly kinds: Kinds<LayerWork> | null
}

/** The parts of a cost model that compute. */
export interface Computed {
  readonly stages: readonly StageModel[]
  readonly weightGradients: {
    readonly layer: readonly CompiledProduct[]
    readonly head: readonly CompiledProduct[]
  }
}

export function workOf(average: Computed, kinds: Kinds<Computed> | null): Work {
  const products: CompiledProduct[] = []
  const places = new Map<string, number>()
  const placeOf = (product: CompiledProduct): number => {
    const { flops, matmuls, bytes, attention, grouped, startedAgain } = product
    const key = valueKey([flops, matmuls, bytes, attention, grouped, startedAgain])
    const place = places.get(key) ?? products.push(product) - 1
    places.set(key, place)
    return place
  }
  const sum = (of: readonly CompiledProduct[]): WorkSum => ({
    at: of.map(placeOf),
    times: of.map(({ times }) => times),
  })
  const layerWork = ({ stages: [stage], weightGradients }: Computed): LayerWork => {
    if (!stage) throw new RangeError('No ZeRO stage was compiled')
    const { layer, head } = stage
    return {
      forward: sum(layer.forward.products),
      backward: layer.backward.map(({ products: own }: Window) => sum(own)),
      headForward: sum(head.forward.products),
      headBackward: sum(head.backward.products),
      weightGradients: sum(weightGradients.layer),
      headWeightGradients: sum(weightGradients.head),
    }
  }
  return { products, average: layerWork(average), kinds: kinds && ofKinds(kinds, layerWork) }
}

/** Time of each product once, in the order of `products`. */
export function workTimes({ products }: Work, scale: Scale, rates: ComputeRates): Float64Array {
  const seconds = new Float64Array(products.length)
  products.forEach((product, at) => {
    seconds[at] = productTime(product, scale, rates)
  })
  return seconds
}

export function summed({ at, times }: WorkSum, seconds: Float64Array): Seconds {
  let total = 0
  for (let i = 0; i < at.length; i++) total += (times[i] ?? 0) * (seconds[at[i] ?? 0] ?? 0)
  return total
}
