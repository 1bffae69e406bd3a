/** The extents of a model's dimensions, by the letters that monomials have for them (sharding/monomial.ts). */
import { pooledShare, pooledWidths } from '../../model/compressed-attention.ts'
import { indexedShare } from '../../model/position-index.ts'
import { attendingLayers, mixerRow, mixingLayers, stateElements, widthsOf } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Extents } from '../../sharding/monomial.ts'

export function extentsOf(model: Transformer, sequenceLength: number): Extents {
  return {
    B: 1,
    T: sequenceLength,
    D: model.dModel,
    F: model.dFf,
    N: model.heads,
    K: model.kvHeads,
    H: model.headDim,
    V: model.vocab,
    ...expertExtents(model),
    ...latentExtents(model),
    ...indexExtents(model),
    ...compressedExtents(model),
    ...recurrentExtents(model),
  }
}

/** M is the width of what experts take in, where it is not D. E experts of width G; A of them for each token, sent to at most as many places J; U is the width of all shared experts together. */
function expertExtents({ experts }: Transformer): Extents {
  if (!experts) return {}
  const { experts: count, activeExperts, dFfExpert, sharedExperts, latentWidth } = experts
  const narrow = latentWidth === undefined ? {} : { M: latentWidth }
  return {
    ...narrow,
    E: count,
    A: activeExperts,
    J: activeExperts,
    G: dFfExpert,
    U: sharedExperts * dFfExpert,
  }
}

/** Ranks of the latent vectors (of the query's, or D without one, and of the cache's), and widths of the parts of a head. */
function latentExtents({ attention: { latent }, dModel }: Transformer): Extents {
  if (!latent) return {}
  const { queryRank, keyValueRank, nopeHeadDim, ropeHeadDim, valueHeadDim } = latent
  return {
    Rq: queryRank ?? dModel,
    Rkv: keyValueRank,
    Hr: ropeHeadDim,
    Hn: nopeHeadDim,
    Hk: nopeHeadDim + ropeHeadDim,
    Hv: valueHeadDim,
    L: keyValueRank + ropeHeadDim,
  }
}

/** Heads of an index, their width, and the share of the layers that have one: a dimension that the average layer has so much of. */
function indexExtents(model: Transformer): Extents {
  const { index } = model.attention
  return index ? { I: index.heads, Hi: index.headDim, Si: indexedShare(model) } : {}
}

/** Og groups of On heads, ranks of queries and of results, what positions are projected to before they are pooled, and the share of the layers that pool many. */
function compressedExtents(model: Transformer): Extents {
  const { compressed } = model.attention
  if (!compressed) return {}
  const { queryRank, outputGroups, outputRank, heavy } = compressed
  const { sparse: Cs, heavy: Ch } = pooledWidths(model)
  return {
    ...{ Rq: queryRank, Or: outputRank, Og: outputGroups, On: model.heads / outputGroups },
    ...{ Cs, Ch, Sh: pooledShare(model, heavy) },
  }
}

/** Shares of the layers with a mixer that attend and that have a recurrence, and the widths of the latter for one position, or for a state. */
function recurrentExtents(model: Transformer): Extents {
  const { recurrence } = model
  if (!recurrence) return {}
  const attending = attendingLayers(model) / mixingLayers(model)
  const { projected, rank, raised, values, kept, streamed, streamedBackward } = widthsOf(recurrence)
  const { state, convolution } = stateElements(recurrence)
  return {
    ...{ Sa: attending, Sr: 1 - attending },
    ...{ Rp: projected + raised, Rm: projected, Rk: kept, Rs: streamed, Rb: streamedBackward, Rv: values },
    ...{ Rr: rank, Rl: 2 * rank, Rg: raised },
    ...{ Rw: mixerRow(recurrence.mixer).multiplyAdds(recurrence) / values },
    ...{ Rn: state / values, Rt: convolution },
  }
}
