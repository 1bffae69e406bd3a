/**
 * A monomial with its numbers in: what is left to put in per mesh is the batch, the padding and the axis sizes.
 *
 *   value = base · factor[selector] / product of the axis sizes in `mask`
 *
 * The selector says which mesh-dependent factors apply: the microbatch's sequences B, padded positions, padded F,
 * padded V, replicated key-value heads, experts that are spread over tensor ranks, and room for copies of tokens that may not come. A scale holds them for one mesh, each product made when it is first asked for, so
 * that a value is two look-ups and two products; nothing is allocated per candidate.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { pooledShare, pooledWidths } from '../../model/compressed-attention.ts'
import { indexedShare } from '../../model/position-index.ts'
import { attendingLayers, mixerRow, mixingLayers, stateElements, widthsOf } from '../../model/recurrence.ts'
import type { Transformer } from '../../model/transformer.ts'
import { type AxisSet, axes, axisSets, type Mesh } from '../../sharding/axis.ts'
import type { Extents, Monomial } from '../../sharding/monomial.ts'
import { numerator } from '../../sharding/monomial.ts'
import { type ExpertTensor, heldAs } from '../communication/expert-tensor.ts'
import { type Dispatch, placesOf } from '../communication/routing.ts'

export interface Term {
  readonly base: number
  readonly selector: number
  readonly mask: AxisSet
}

/** In the order of their bits in a selector. */
const factorNames = ['B', 'T', 'F', 'V', 'replicated', 'J', 'G', 'U', 'spread', 'buffer'] as const

type FactorName = (typeof factorNames)[number]

function bitOf(name: FactorName): number {
  return 1 << factorNames.indexOf(name)
}

/** Written by setMesh and setBatch, read by termValue; a search has one and reuses it. */
export interface Scale {
  /** By axis, in the order of their bits. */
  readonly sizes: Float64Array
  /** The batch, and factors of the mesh alone, by bit of the selector. */
  readonly factors: Float64Array
  /** 1 / product of the sizes of the axes in a set, and products of factors: 0 until they are asked for. */
  readonly inverse: Float64Array
  readonly factor: Float64Array
  /** How tensor ranks hold experts on this mesh. */
  held: ExpertTensor
}

export function createScale(): Scale {
  return {
    sizes: new Float64Array(axes.length).fill(1),
    factors: new Float64Array(factorNames.length).fill(1),
    inverse: new Float64Array(axisSets),
    factor: new Float64Array(1 << factorNames.length),
    held: 'sliced',
  }
}

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

/** Terms that are 1, or 0, on every mesh. */
export const one: Term = { base: 1, selector: 0, mask: 0 }
export const none: Term = { base: 0, selector: 0, mask: 0 }

export function termOf(value: Monomial, extents: Extents, times: number): Term {
  let selector = value.replicated ? bitOf('replicated') : 0
  for (const name of factorNames) if (value.extents.includes(name)) selector |= bitOf(name)
  return { base: numerator(value, extents) * times, selector, mask: value.divide }
}

/** What tensor ranks share out between them where they hold whole experts. */
export function spreadTerm(term: Term): Term {
  return { ...term, selector: term.selector | bitOf('spread') }
}

/** What is on a chip for copies of tokens where their experts are: room for as many as it may be sent. */
export function bufferedTerm(term: Term): Term {
  return { ...term, selector: term.selector | bitOf('buffer') }
}

export function termValue({ base, selector, mask }: Term, scale: Scale): number {
  return (
    base *
    (scale.factor[selector] || factorOf(selector, scale)) *
    (scale.inverse[mask] || inverseOf(mask, scale))
  )
}

function factorOf(selector: number, { factors, factor }: Scale): number {
  let product = 1
  for (let bit = 0; bit < factors.length; bit++) if (selector & (1 << bit)) product *= factors[bit] ?? 1
  factor[selector] = product
  return product
}

/** Sets are bits in the order of the axes. */
function inverseOf(set: AxisSet, { sizes, inverse }: Scale): number {
  let share = 1
  for (let k = 0; k < sizes.length; k++) if (set & (1 << k)) share /= sizes[k] ?? 1
  inverse[set] = share
  return share
}

export function sumTerms(terms: readonly Term[], scale: Scale): number {
  let sum = 0
  for (const term of terms) sum += termValue(term, scale)
  return sum
}

/** Whether sizes are padded to whole shards, and how far copies of tokens go. */
export type Rounding = Dispatch & Pick<Assumptions, 'tokensDivideFreely' | 'expertBufferFactor'>

/** Puts a mesh in, with a batch of one sequence: products of axis sizes, padding to the fullest shard, replication of key-value heads. */
export function setMesh(scale: Scale, mesh: Mesh, extents: Extents, assumptions: Rounding): void {
  axes.forEach((axis, k) => {
    scale.sizes[k] = mesh[axis]
  })
  scale.inverse.fill(0)
  const tensors = mesh.tensor * mesh.tensor2
  const pad = (extent = 1, shards = 1) =>
    assumptions.tokensDivideFreely ? 1 : (Math.ceil(extent / shards) * shards) / extent
  scale.held = heldAs(mesh, extents.E ?? 1, assumptions.expertTensor)
  const spread = scale.held === 'whole' ? mesh.tensor : 1
  const factors: Readonly<Record<FactorName, number>> = {
    B: 1,
    T: pad(extents.T, mesh.context * mesh.tensor),
    F: pad(extents.F, tensors),
    V: pad(extents.V, tensors),
    replicated: Math.max(1, tensors / (extents.K ?? 1)),
    J: visitedShare(mesh.expert * spread, extents, assumptions),
    G: pad(extents.G, tensors),
    U: pad(extents.U, tensors),
    spread: 1 / spread,
    buffer: bufferOf(mesh.expert, extents, assumptions),
  }
  factorNames.forEach((name, bit) => {
    scale.factors[bit] = factors[name]
  })
  scale.factor.fill(0)
}

/** Places that a token is sent to, over the k that there can be at most. */
function visitedShare(devices: number, { A = 1 }: Extents, dispatch: Dispatch): number {
  return placesOf(devices, A, dispatch) / A
}

/**
 * What a chip may be sent at most over what it is sent where all experts are as popular: all copies of its group, of each token as many as
 * the chip has experts, which is min(expert, E/A) times as many.
 */
export function mostOverEven(expert: number, experts: number, active: number): number {
  return Math.max(1, Math.min(expert, experts / active))
}

/** Rows that a chip has room for over those that it is sent evenly. */
function bufferOf(
  expert: number,
  { E = 1, A = 1 }: Extents,
  { expertBufferFactor }: Pick<Assumptions, 'expertBufferFactor'>,
): number {
  if (expert === 1) return 1
  return expertBufferFactor > 0 ? expertBufferFactor : mostOverEven(expert, E, A)
}

/** Puts a microbatch in: its sequences over all replicas, a real number where tokens divide freely. */
export function setBatch(scale: Scale, sequences: number): void {
  scale.factors[0] = sequences
  scale.factor.fill(0)
}
