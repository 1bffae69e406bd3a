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
  /** The mesh that it holds, and what its factors were made of. */
  mesh: Mesh | null
  extents: Extents | null
  rounding: Rounding | null
  /** By axis, in the order of their bits. */
  readonly sizes: Float64Array
  /** The batch, and factors of the mesh alone, by bit of the selector. */
  readonly factors: Float64Array
  /** 1 / product of the sizes of the axes in a set, and products of factors: 0 until they are asked for. */
  readonly inverse: Float64Array
  readonly factor: Float64Array
  /** Selectors whose products are known: a few of a thousand, so that forgetting them touches no others. */
  readonly known: Uint16Array
  count: number
  /** How tensor ranks hold experts on this mesh. */
  held: ExpertTensor
}

export function createScale(): Scale {
  const selectors = 1 << factorNames.length
  return {
    ...{ mesh: null, extents: null, rounding: null },
    sizes: new Float64Array(axes.length).fill(1),
    factors: new Float64Array(factorNames.length).fill(1),
    inverse: new Float64Array(axisSets),
    factor: new Float64Array(selectors),
    known: new Uint16Array(selectors),
    count: 0,
    held: 'sliced',
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

function factorOf(selector: number, scale: Scale): number {
  const { factors, factor, known } = scale
  let product = 1
  for (let bit = 0; bit < factors.length; bit++) if (selector & (1 << bit)) product *= factors[bit] ?? 1
  // One that is 0 stays unknown, and is made each time.
  if (product === 0) return 0
  factor[selector] = product
  known[scale.count++] = selector
  return product
}

/** What was known of products of factors is so no more. */
function forget(scale: Scale): void {
  const { factor, known, count } = scale
  for (let at = 0; at < count; at++) factor[known[at] ?? 0] = 0
  scale.count = 0
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

/** What a factor is on a mesh, with a batch of one sequence. */
type FactorOf = (mesh: Mesh, extents: Extents, rounding: Rounding) => number

const factorRows: Readonly<Record<FactorName, FactorOf>> = {
  B: () => 1,
  T: ({ context, tensor }, { T }, rounding) => padding(T, context * tensor, rounding),
  F: (mesh, { F }, rounding) => padding(F, tensorsOf(mesh), rounding),
  V: (mesh, { V }, rounding) => padding(V, tensorsOf(mesh), rounding),
  replicated: (mesh, { K = 1 }) => Math.max(1, tensorsOf(mesh) / K),
  J: (mesh, extents, rounding) =>
    visitedShare(mesh.expert * spreadOver(mesh, extents, rounding), extents, rounding),
  G: (mesh, { G }, rounding) => padding(G, tensorsOf(mesh), rounding),
  U: (mesh, { U }, rounding) => padding(U, tensorsOf(mesh), rounding),
  spread: (mesh, extents, rounding) => 1 / spreadOver(mesh, extents, rounding),
  buffer: ({ expert }, extents, rounding) => bufferOf(expert, extents, rounding),
}

const rowsOfFactors = factorNames.map((name) => factorRows[name])

function tensorsOf({ tensor, tensor2 }: Mesh): number {
  return tensor * tensor2
}

/** How much longer a dimension is where each shard is as long as the fullest. */
function padding(extent = 1, shards: number, { tokensDivideFreely }: Rounding): number {
  return tokensDivideFreely ? 1 : (Math.ceil(extent / shards) * shards) / extent
}

/** Tensor ranks that have whole experts of their own. */
function spreadOver(mesh: Mesh, { E = 1 }: Extents, { expertTensor }: Rounding): number {
  return heldAs(mesh, E, expertTensor) === 'whole' ? mesh.tensor : 1
}

/** Puts a mesh in, with a batch of one sequence: products of axis sizes, padding to the fullest shard, replication of key-value heads. */
export function setMesh(scale: Scale, mesh: Mesh, extents: Extents, rounding: Rounding): void {
  // Several floors ask for one mesh, one after another.
  if (scale.mesh === mesh && scale.extents === extents && scale.rounding === rounding) {
    setBatch(scale, 1)
    return
  }
  scale.mesh = mesh
  scale.extents = extents
  scale.rounding = rounding
  const { sizes, factors } = scale
  for (let k = 0; k < sizes.length; k++) sizes[k] = mesh[axes[k] ?? 'data']
  scale.inverse.fill(0)
  scale.held = heldAs(mesh, extents.E ?? 1, rounding.expertTensor)
  for (let bit = 0; bit < factors.length; bit++)
    factors[bit] = rowsOfFactors[bit]?.(mesh, extents, rounding) ?? 1
  forget(scale)
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
  forget(scale)
}
