/**
 * A bound that no layout of a pass can beat on n chips:
 *
 *   max( (weights + caches) / (n · HBM), FLOPs / (n · peak) )
 *
 * Weights are those that multiply tokens, each once; of E experts only those that t tokens visit, as many as uneven routing leaves (cost/communication/uneven-routing.ts), as
 * replicas, groups and chunks each visit more than their share. The router is left out, as it is where layouts are costed. Latent attention
 * is counted as trained and without the queries of an index, which takes the fewest FLOPs, and meets and reads no more positions than an index chooses. Caches are read as the windows leave them, states once; scans count no FLOPs. Efficiencies are 1. Source:
 * "How To Scale Your Model", Inference: "minimum latency" and the throughput bound; formulas 13.
 */
import { popularity, visitedShare } from '../../cost/communication/uneven-routing.ts'
import { peakFlops } from '../../cost/compute/compute.ts'
import { parameterBytes } from '../../cost/memory/parameter-bytes.ts'
import { cacheElementBytes } from '../../model/cache-type.ts'
import { expertLayerParameters, expertLayers } from '../../model/expert-layers.ts'
import { headDims } from '../../model/head-dims.ts'
import { kvCacheElements } from '../../model/kv-cache.ts'
import { parameterCount } from '../../model/parameters.ts'
import { indexedShare, indexParameters } from '../../model/position-index.ts'
import { attendingLayers, stateBytesPerSequence } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import { type ByPart, partParameters, weightParts } from '../../model/weight-parts.ts'
import type { Setting } from '../../problem.ts'
import type { Bytes, Flops, Seconds } from '../../units.ts'
import type { ContextGroup } from './component-time.ts'

/** All that goes through the model in one pass, over all chips. */
export interface Work {
  readonly sequences: number
  readonly positions: number
  /** Positions of each sequence that are unembedded. */
  readonly headPositions: number
  readonly contexts: readonly ContextGroup[]
}

export function floorSeconds(setting: Setting, work: Work): Seconds {
  const { cluster, precision } = setting
  const { chip, chips } = cluster
  const flops = workFlops(setting, work) / peakFlops(chip, precision.compute)
  const bytes = (weightBytes(setting, work) + cacheBytes(setting, work)) / chip.hbmBytesPerSecond
  return Math.max(flops, bytes) / chips
}

/** FLOPs of weights in matmuls and, where the assumptions count it, of attention. */
export function workFlops({ model, assumptions }: Setting, work: Work): Flops {
  const { sequences, positions, headPositions, contexts } = work
  const head = model.vocab * model.dModel
  const projections = 2 * sequences * (positions * (multiplying(model) - head) + headPositions * head)
  const { key, value } = headDims(model)
  const met = contexts.reduce((sum, { share, chosen }) => {
    return sum + share * { none: 0, causal: chosen.met, full: chosen.read }[assumptions.attentionFlops]
  }, 0)
  return projections + 2 * attendingLayers(model) * sequences * positions * met * model.heads * (key + value)
}

/** Parameters that a token meets in matmuls, without those of routers and indices. */
function multiplying(model: Transformer): number {
  const routers = expertLayers(model) * expertLayerParameters(model).router
  return parameterCount(model).matmul - routers - ofIndices(model)
}

function ofIndices(model: Transformer): number {
  return model.layers * indexedShare(model) * indexParameters(model)
}

export function weightBytes(
  { model, precision, assumptions }: Setting,
  { sequences, positions }: Work,
): Bytes {
  const { experts: count = 1, activeExperts = 1 } = model.experts ?? {}
  const popular = popularity(count, activeExperts, assumptions.expertUnevenness)
  const parameters = partParameters(model)
  const read: ByPart = {
    ...parameters,
    attention: parameters.attention - ofIndices(model),
    experts: parameters.experts * visitedShare(popular, sequences * positions),
    embedding: 0,
    unembedding: model.vocab * model.dModel,
  }
  return weightParts.reduce((sum, part) => sum + read[part] * parameterBytes(precision, part), 0)
}

export function cacheBytes({ model, precision }: Setting, { sequences, contexts }: Work): Bytes {
  const read = contexts.reduce((sum, group) => sum + group.share * group.chosen.read, 0)
  const each =
    attendingLayers(model) * read * kvCacheElements(model) * cacheElementBytes(model, precision.kvCache)
  return sequences * (each + stateBytesPerSequence(model))
}
