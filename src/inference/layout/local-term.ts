/**
 * What the fullest chip has of an array, or its share of a product's work, with everything but a mesh and a batch put in:
 *
 *   value = coefficient · Π over dimensions of ceil(extent / shards)
 *
 * Shards is the product of the mesh axes on the dimension. Key-value heads are never less than one: beyond K shards they
 * are replicated. Experts are whole, and some of them exist more than once (model/expert-slots.ts); where dimensions divide freely
 * (`book`) nothing else has a ceiling. Batches of inference are small and need not divide, so padding is counted per
 * dimension here; training pads once per mesh (cost/compile/term.ts).
 *
 * What a router decides has no ceiling, but a fullest chip for which the others wait (cost/communication/uneven-routing.ts):
 *
 *   A   a token's k choices: where they are shared out, those on the fullest chip
 *   J   chips of the expert axis that its choices are on (cost/communication/routing.ts), and as uneven
 *   Ev  experts that a chip reads: those of its slots that one of t tokens visits, on the fullest chip
 *
 * t are the tokens of all chips that share out one set of experts. Where dimensions divide freely all chips have the mean.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { distinctPlaces } from '../../cost/communication/routing.ts'
import * as routing from '../../cost/communication/uneven-routing.ts'
import { extentsOf } from '../../cost/compile/term.ts'
import { expertSlots } from '../../model/expert-slots.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Dimension } from '../../sharding/array.ts'
import { type AxisSet, axes, axisBit, axisSet, axisSets, type Mesh } from '../../sharding/axis.ts'

/** Names of extents: B sequences, T new positions of each, S positions of a cache, and the model's; those that a router decides come last. */
const extents = [
  ...['B', 'T', 'S', 'D', 'F', 'N', 'K', 'H', 'V'],
  ...['Rq', 'Rkv', 'Hr', 'Hn', 'Hk', 'Hv', 'L'],
  ...['E', 'G', 'U', 'A', 'J', 'Ev'],
]

/** B, T and S come first, and are what runs through the model. */
const shapeExtents = 3
const keyValueHeads = extents.indexOf('K')
const allExperts = extents.indexOf('E')
const choices = extents.indexOf('A')
const places = extents.indexOf('J')
const visitedExperts = extents.indexOf('Ev')

export interface LocalTerm {
  readonly coefficient: number
  readonly factors: readonly { readonly extent: number; readonly over: AxisSet }[]
}

/** Terms that are added up. A model's sums are numbered, so that a search works each out once for a mesh and a shape. */
export interface LocalSum {
  readonly terms: readonly LocalTerm[]
  /** Its number; -1 for one that is worked out each time. */
  readonly at: number
  /** Whether it depends on what runs through the model, and not on the mesh alone. */
  readonly ofShape: boolean
}

export function localSum(terms: readonly LocalTerm[], at = -1): LocalSum {
  const ofShape = terms.some(({ factors }) =>
    factors.some(({ extent }) => extent < shapeExtents || extent >= choices),
  )
  return { terms, at, ofShape }
}

/** Sizes that setShape and setShards write and localValue reads; a search has one and reuses it. */
export interface Sizes {
  readonly extents: Float64Array
  /** For each set of axes, the product of their sizes. */
  readonly shards: Float64Array
  readonly divideFreely: boolean
  /** The least that the fullest chip has of choices, over their mean. */
  readonly imbalance: number
  readonly unevenness: number
  readonly popular: routing.Popularity
  /** The least number of copies of experts where chips share them out. */
  readonly copies: number
  /** Whether the experts of a token are on as many devices as there can be. */
  readonly choicesApart: boolean
  readonly remembered: Remembered
}

/** Values of numbered sums, each with the turn that it is of: a mesh and a shape that were set have a number of their own. */
interface Remembered {
  readonly values: Float64Array
  readonly turns: Float64Array
  /** The mesh that is set. */
  mesh: Mesh | null
  last: number
  ofMesh: number
  ofShape: number
}

/** What runs through the model at once. */
export interface Shape {
  readonly sequences: number
  /** New positions of each sequence. */
  readonly positions: number
  /** Positions that the new ones of a sequence attend to, themselves included. */
  readonly context: number
}

/** `sums` is how many sums have numbers. */
export function createSizes(model: Transformer, assumptions: Rounding, sums = 0): Sizes {
  const known = extentsOf(model, 1)
  const { E: experts = 1, A: active = 1 } = known
  const { expertImbalance, expertUnevenness, redundantExperts } = assumptions
  const remembered: Remembered = {
    ...{ values: new Float64Array(sums), turns: new Float64Array(sums) },
    ...{ mesh: null, last: 1, ofMesh: 1, ofShape: 1 },
  }
  return {
    remembered,
    extents: Float64Array.from(extents, (extent) => known[extent] ?? 1),
    shards: new Float64Array(axisSets).fill(1),
    divideFreely: assumptions.tokensDivideFreely,
    imbalance: expertImbalance,
    unevenness: expertUnevenness,
    popular: routing.popularity(experts, active, expertUnevenness),
    copies: redundantExperts,
    choicesApart: assumptions.choicesApart,
  }
}

type Rounding = Pick<
  Assumptions,
  'tokensDivideFreely' | 'expertImbalance' | 'expertUnevenness' | 'redundantExperts' | 'choicesApart'
>

export function setShards({ shards, extents: sizes, choicesApart, remembered }: Sizes, mesh: Mesh): void {
  if (remembered.mesh === mesh) return
  remembered.mesh = mesh
  remembered.ofMesh = remembered.ofShape = ++remembered.last
  sizes[places] = distinctPlaces(mesh.expert, sizes[choices] ?? 1, choicesApart)
  axes.forEach((axis, k) => {
    const bit = 1 << k
    for (let set = 0; set < bit; set++) shards[set | bit] = (shards[set] ?? 1) * mesh[axis]
  })
}

export function setShape({ extents: sizes, remembered }: Sizes, shape: Shape): void {
  const { sequences, positions, context } = shape
  if (sizes[0] === sequences && sizes[1] === positions && sizes[2] === context) return
  sizes[0] = sequences
  sizes[1] = positions
  sizes[2] = context
  remembered.ofShape = ++remembered.last
}

/** Sets the positions that are attended to for as long as `work` runs. */
export function withContext<Value>(
  { extents: sizes, remembered }: Sizes,
  context: number,
  work: () => Value,
): Value {
  const whole = sizes[2] ?? 0
  const { ofShape } = remembered
  sizes[2] = context
  remembered.ofShape = ++remembered.last
  const value = work()
  sizes[2] = whole
  remembered.ofShape = ofShape
  return value
}

export function localTerm(coefficient: number, dimensions: readonly Dimension[]): LocalTerm {
  return {
    coefficient,
    factors: dimensions.map((dimension) => ({
      extent: extentIndex(dimension.extent),
      over: axisSet(dimension.axes),
    })),
  }
}

function extentIndex(name: string): number {
  const index = extents.indexOf(name)
  if (index < 0) throw new RangeError(`No size for the dimension ${name}`)
  return index
}

export function localValue({ coefficient, factors }: LocalTerm, sizes: Sizes): number {
  let value = coefficient
  for (const { extent, over } of factors) {
    if (extent >= choices) {
      value *= extent === visitedExperts ? visited(over, sizes) : chosen(extent, over, sizes)
      continue
    }
    if (extent === allExperts) {
      value *= slotsOf(over, sizes)
      continue
    }
    const share = (sizes.extents[extent] ?? 0) / (sizes.shards[over] ?? 1)
    if (extent === keyValueHeads) value *= Math.max(1, sizes.divideFreely ? share : Math.ceil(share - slack))
    else value *= sizes.divideFreely ? share : Math.ceil(share - slack)
  }
  return value
}

function chosen(extent: number, over: AxisSet, all: Sizes): number {
  const { extents: sizes, shards, imbalance, unevenness, divideFreely } = all
  const among = shards[over] ?? 1
  const mean = (sizes[extent] ?? 1) / among
  if (among === 1) return mean
  if (divideFreely) return mean * imbalance
  const experts = sizes[allExperts] ?? 1
  const copies = slotsOf(over, all) * among - experts
  const mixture = { experts, choices: sizes[choices] ?? 1, unevenness }
  return (
    mean * Math.max(imbalance, routing.fullestRows(routing.evened(mixture, copies), tokensOf(all), among))
  )
}

/** Tokens of all chips that share out one set of experts: some, where they are whole. */
function tokensOf({ extents: sizes, shards, divideFreely }: Sizes): number {
  const whole = (value: number) => (divideFreely ? value : Math.max(1, Math.ceil(value - slack)))
  return (
    whole((sizes[0] ?? 0) / (shards[axisBit.data] ?? 1)) *
    whole((sizes[1] ?? 0) / (shards[axisBit.context] ?? 1))
  )
}

function slotsOf(over: AxisSet, { extents: sizes, shards, copies }: Sizes): number {
  return expertSlots(sizes[allExperts] ?? 1, shards[over] ?? 1, copies).perChip
}

function visited(over: AxisSet, all: Sizes): number {
  const { extents: sizes, shards, divideFreely, popular } = all
  const held = slotsOf(over, all)
  const chips = shards[over] ?? 1
  const share = routing.visitedShare(popular, tokensOf(all), (sizes[allExperts] ?? 1) / (held * chips))
  return divideFreely ? held * share : routing.fullestVisited(share, held, chips)
}

/** Mean contexts and rounded products are real numbers: what is whole except for rounding errors counts as whole. */
const slack = 1e-9

export function sumOf({ terms, at, ofShape }: LocalSum, sizes: Sizes): number {
  const { remembered } = sizes
  const turn = ofShape ? remembered.ofShape : remembered.ofMesh
  if (at >= 0 && remembered.turns[at] === turn) return remembered.values[at] ?? 0
  let sum = 0
  for (const term of terms) sum += localValue(term, sizes)
  if (at >= 0) {
    remembered.values[at] = sum
    remembered.turns[at] = turn
  }
  return sum
}
