/** Sizes of dimensions, and of the sets of axes that they are sharded over, as terms of inference read them (local-term.ts). */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { distinctPlaces } from '../../cost/communication/routing.ts'
import { type Popularity, popularity } from '../../cost/communication/uneven-routing.ts'
import { extentsOf } from '../../cost/compile/extents.ts'
import type { Transformer } from '../../model/transformer.ts'
import { axes, axisSets, type Mesh } from '../../sharding/axis.ts'

/** Names of extents: B sequences, T new positions of each, S positions of a cache, X those that an index keeps keys of, and the model's; those that a router decides come last. */
export const extents = [
  ...['B', 'T', 'S', 'X', 'D', 'F', 'N', 'K', 'H', 'V'],
  ...['M', 'Rq', 'Rkv', 'Hr', 'Hn', 'Hk', 'Hv', 'L', 'I', 'Hi', 'Si'],
  ...['Og', 'On', 'Or', 'Cs', 'Ch', 'Sh'],
  ...['Rp', 'Rm', 'Rr', 'Rl', 'Rg', 'Rk', 'Rs', 'Rv', 'Rw', 'Rn', 'Rt', 'Sa', 'Sr'],
  ...['E', 'G', 'U', 'A', 'J', 'Ev'],
]

/** B, T, S and X come first, and are what runs through the model; tokens are of B and T. */
export const shapeExtents = 4
export const tokenExtents = 2
export const keyValueHeads = extents.indexOf('K')
export const allExperts = extents.indexOf('E')
/** Shares of the layers, which are no whole numbers. */
export const sharesOfLayers: ReadonlySet<number> = new Set(
  ['Si', 'Sh', 'Sa', 'Sr'].map((extent) => extents.indexOf(extent)),
)
export const choices = extents.indexOf('A')
export const visitedExperts = extents.indexOf('Ev')
const places = extents.indexOf('J')

/** Sizes that setShape and setShards write and localValue reads; a search has one and reuses it. */
export interface Sizes {
  readonly extents: Float64Array
  /** For each set of axes, the product of their sizes. */
  readonly shards: Float64Array
  readonly divideFreely: boolean
  /** The least that the fullest chip has of choices, over their mean. */
  readonly imbalance: number
  readonly unevenness: number
  readonly popular: Popularity
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
  /** What a router decides (routed.ts), each with the tokens that it is of; NaN for none. */
  readonly routed: Float64Array
  readonly routedTokens: Float64Array
  /** The mesh that is set. */
  mesh: Mesh | null
  last: number
  ofMesh: number
  ofShape: number
}

/** A place for each such extent over each set of axes, where there is a router. */
const routedValues = (extents.length - choices) * axisSets

/** What runs through the model at once. */
export interface Shape {
  readonly sequences: number
  /** New positions of each sequence. */
  readonly positions: number
  /** Positions that the new ones of a sequence attend to, themselves included. */
  readonly context: number
  /** Of these, the vectors that an index has keys of; as many where absent. */
  readonly indexed?: number
}

/** `sums` is how many sums have numbers. */
export function createSizes(model: Transformer, assumptions: Rounding, sums = 0): Sizes {
  const known = extentsOf(model, 1)
  const { E: experts = 1, A: active = 1 } = known
  const { expertImbalance, expertUnevenness, redundantExperts } = assumptions
  const routed = model.experts ? routedValues : 0
  const remembered: Remembered = {
    ...{ values: new Float64Array(sums), turns: new Float64Array(sums) },
    routed: new Float64Array(routed),
    routedTokens: new Float64Array(routed).fill(Number.NaN),
    ...{ mesh: null, last: 1, ofMesh: 1, ofShape: 1 },
  }
  return {
    remembered,
    extents: Float64Array.from(extents, (extent) => known[extent] ?? 1),
    shards: new Float64Array(axisSets).fill(1),
    divideFreely: assumptions.tokensDivideFreely,
    imbalance: expertImbalance,
    unevenness: expertUnevenness,
    popular: popularity(experts, active, expertUnevenness),
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
  remembered.routedTokens.fill(Number.NaN)
  sizes[places] = distinctPlaces(mesh.expert, sizes[choices] ?? 1, choicesApart)
  axes.forEach((axis, k) => {
    const bit = 1 << k
    const size = mesh[axis]
    for (let set = 0; set < bit; set++) shards[set | bit] = (shards[set] ?? 1) * size
  })
}

export function setShape({ extents: sizes, remembered }: Sizes, shape: Shape): void {
  const { sequences, positions, context, indexed = context } = shape
  const same = sizes[0] === sequences && sizes[1] === positions
  if (same && sizes[2] === context && sizes[3] === indexed) return
  sizes[0] = sequences
  sizes[1] = positions
  sizes[2] = context
  sizes[3] = indexed
  remembered.ofShape = ++remembered.last
}

/** Sets the positions that are attended to for as long as `work` runs. */
export function withContext<Value>(
  { extents: sizes, remembered }: Sizes,
  context: number,
  work: () => Value,
): Value {
  const [, , whole = 0, indexed = 0] = sizes
  const { ofShape } = remembered
  sizes[2] = sizes[3] = context
  remembered.ofShape = ++remembered.last
  const value = work()
  sizes[2] = whole
  sizes[3] = indexed
  remembered.ofShape = ofShape
  return value
}

/** Mean contexts and rounded products are real numbers: what is whole except for rounding errors counts as whole. */
export const slack = 1e-9
