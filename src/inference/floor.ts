/**
 * What no layout of a pass can beat on so many chips:
 *
 *   max( (weights + caches) / (n · HBM), FLOPs / (n · peak) )
 *
 * Weights are those that multiply tokens, once; caches are read as the windows leave them. Efficiencies are 1. Source: "How
 * To Scale Your Model", Inference: "minimum latency" and the throughput bound.
 */
import { peakFlops } from '../cost/compute.ts'
import { elementBytes } from '../cost/element.ts'
import { parameterCount } from '../model/parameters.ts'
import type { Setting } from '../problem.ts'
import type { Bytes, Flops, Seconds } from '../units.ts'
import type { ContextGroup } from './component-time.ts'

/** All that goes through the model once, over all chips. */
export interface Work {
  readonly sequences: number
  readonly positions: number
  /** Positions that are unembedded, of each sequence. */
  readonly headPositions: number
  readonly contexts: readonly ContextGroup[]
}

export function floorSeconds(setting: Setting, work: Work): Seconds {
  const { cluster, precision } = setting
  const { chip, chips } = cluster
  const flops = workFlops(setting, work) / peakFlops(chip, precision.compute)
  const bytes = (weightBytes(setting) + cacheBytes(setting, work)) / chip.hbmBytesPerSecond
  return Math.max(flops, bytes) / chips
}

/** Weights in matmuls and, where the assumptions count it, attention. */
export function workFlops({ model, assumptions }: Setting, work: Work): Flops {
  const { sequences, positions, headPositions, contexts } = work
  const { matmul } = parameterCount(model)
  const head = model.vocab * model.dModel
  const projections = 2 * sequences * (positions * (matmul - head) + headPositions * head)
  const met = contexts.reduce((sum, { share, read, met }) => {
    return sum + share * { none: 0, causal: met, full: read }[assumptions.attentionFlops]
  }, 0)
  return projections + 4 * model.layers * sequences * positions * met * model.heads * model.headDim
}

export function weightBytes({ model, precision }: Setting): Bytes {
  return parameterCount(model).matmul * elementBytes[precision.weights]
}

export function cacheBytes({ model, precision }: Setting, { sequences, contexts }: Work): Bytes {
  const read = contexts.reduce((sum, group) => sum + group.share * group.read, 0)
  return 2 * model.layers * sequences * read * model.kvHeads * model.headDim * elementBytes[precision.kvCache]
}
