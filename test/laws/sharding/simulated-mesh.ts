/**
 * Arrays of real numbers sharded over a tiny mesh, where every chip has the entries that it holds: carries out what the
 * algebra says in symbols.
 *
 * All axes have size 2. Each axis that may shard a dimension owns one bit of that dimension's index, and a chip holds
 * the indices whose bits are its coordinates; so the order of the axes on a dimension does not matter, as it does not
 * in the algebra. An entry that a chip does not hold is NaN there.
 */
import { labelOf, type ShardedArray } from '../../../src/sharding/array.ts'
import { type Axis, axes } from '../../../src/sharding/axis.ts'

export interface Tensor {
  readonly labels: readonly string[]
  readonly values: Float64Array
}

/** The same labels on every chip, and what each holds. */
export interface Spread {
  readonly labels: readonly string[]
  readonly held: readonly Float64Array[]
}

export interface SimulatedMesh {
  readonly active: readonly Axis[]
  readonly chips: number
  readonly size: (label: string) => number
  /** The bit of a dimension's index that an axis owns. */
  readonly bit: (label: string, axis: Axis) => number
}

/** Read per S, keys and values are the same positions. */
const family = (label: string) => (label === 'S' ? 'T' : label)

/** `extra` multiplies the size of every dimension beyond what its axes need. */
export function simulatedMesh(
  active: readonly Axis[],
  arrays: readonly ShardedArray[],
  extra: (label: string) => number = () => 1,
): SimulatedMesh {
  const owners = new Map<string, Axis[]>()
  for (const { label, axes: sharding } of arrays.flatMap((array) => array.dimensions)) {
    const known = owners.get(family(label)) ?? []
    owners.set(family(label), [...new Set([...known, ...sharding.filter((axis) => active.includes(axis))])])
  }
  const ownersOf = (label: string) => owners.get(family(label)) ?? []
  return {
    active,
    chips: 2 ** active.length,
    size: (label) => extra(family(label)) * 2 ** ownersOf(label).length,
    bit: (label, axis) => ownersOf(label).indexOf(axis),
  }
}

export function tensorSize(mesh: SimulatedMesh, labels: readonly string[]): number {
  return labels.reduce((product, label) => product * mesh.size(label), 1)
}

/** What each chip holds of an array that is sharded as declared. */
export function spread(mesh: SimulatedMesh, tensor: Tensor, array: ShardedArray): Spread {
  return sliced(mesh, { labels: tensor.labels, held: onEveryChip(mesh, () => tensor.values) }, array)
}

/** The free slice: entries outside the declared sharding are dropped. */
export function sliced(mesh: SimulatedMesh, whole: Spread, array: ShardedArray): Spread {
  const rules = mesh.active.flatMap((axis) => {
    const label = labelOf(array, axis)
    return label === undefined ? [] : [{ axis, label }]
  })
  const indices = indicesOf(mesh, whole.labels)
  const held = whole.held.map((values, chip) =>
    values.map((value, entry) => {
      const kept = rules.every(({ axis, label }) => {
        const index = indices[entry]?.[whole.labels.indexOf(label)] ?? 0
        return ((index >> mesh.bit(label, axis)) & 1) === coordinate(mesh, chip, axis)
      })
      return kept ? value : Number.NaN
    }),
  )
  return { labels: whole.labels, held }
}

/** AllGather: a chip has what any of its group had. */
export function gathered(mesh: SimulatedMesh, parts: Spread, over: readonly Axis[]): Spread {
  return combined(mesh, parts, over, (mine, theirs) => (Number.isNaN(mine) ? theirs : mine))
}

/** AllReduce: the sum over the group of what each holds; an entry that one of them lacks stays lacking. */
export function summed(mesh: SimulatedMesh, parts: Spread, over: readonly Axis[]): Spread {
  return combined(mesh, parts, over, (mine, theirs) => mine + theirs)
}

/** One after another, so that the partial sums of one array are added up before they are reduced. */
export function added(a: Spread | undefined, b: Spread): Spread {
  if (!a) return b
  const held = a.held.map((values, chip) =>
    values.map((value, entry) => value + (b.held[chip]?.[entry] ?? Number.NaN)),
  )
  return { labels: a.labels, held }
}

export interface LocalResult {
  readonly result: Spread
  /** On each chip. */
  readonly multiplyAdds: readonly number[]
}

/** What every chip can multiply of what it holds, summed over the labels that the result has not. */
export function multiplied(
  mesh: SimulatedMesh,
  labels: readonly string[],
  left: Spread,
  right: Spread,
): LocalResult {
  const space = [...new Set([...left.labels, ...right.labels])]
  const indices = indicesOf(mesh, space)
  const [outAt, leftAt, rightAt] = [labels, left.labels, right.labels].map((own) =>
    offsets(mesh, space, indices, own),
  ) as [Int32Array, Int32Array, Int32Array]
  const multiplyAdds: number[] = []
  const held = onEveryChip(mesh, (chip) => {
    const out = new Float64Array(tensorSize(mesh, labels)).fill(Number.NaN)
    const [a, b] = [left.held[chip] ?? [], right.held[chip] ?? []]
    let count = 0
    for (let i = 0; i < indices.length; i++) {
      const value = (a[leftAt[i] ?? 0] ?? Number.NaN) * (b[rightAt[i] ?? 0] ?? Number.NaN)
      if (Number.isNaN(value)) continue
      const at = outAt[i] ?? 0
      const before = out[at] ?? 0
      out[at] = Number.isNaN(before) ? value : before + value
      count++
    }
    multiplyAdds.push(count)
    return out
  })
  return { result: { labels, held }, multiplyAdds }
}

/** The product of whole arrays: a mesh of one chip. */
export function denseProduct(
  mesh: SimulatedMesh,
  labels: readonly string[],
  left: Tensor,
  right: Tensor,
): Tensor {
  const one: SimulatedMesh = { ...mesh, active: [], chips: 1 }
  const whole = ({ labels: own, values }: Tensor): Spread => ({ labels: own, held: [values] })
  const [values = new Float64Array()] = multiplied(one, labels, whole(left), whole(right)).result.held
  return { labels, values }
}

export function heldEntries(parts: Spread, chip: number): number {
  return Array.from(parts.held[chip] ?? []).filter((value) => !Number.isNaN(value)).length
}

/** Plain arrays, for comparing: NaN equals NaN there, and -0 is 0. */
export function plain(parts: Spread): readonly (readonly number[])[] {
  return parts.held.map((values) => Array.from(values, (value) => value + 0))
}

function onEveryChip<Item>(mesh: SimulatedMesh, make: (chip: number) => Item): readonly Item[] {
  return Array.from({ length: mesh.chips }, (_, chip) => make(chip))
}

function coordinate(mesh: SimulatedMesh, chip: number, axis: Axis): number {
  return (chip >> mesh.active.indexOf(axis)) & 1
}

function combined(
  mesh: SimulatedMesh,
  parts: Spread,
  over: readonly Axis[],
  join: (mine: number, theirs: number) => number,
): Spread {
  const group = axes.filter((axis) => over.includes(axis) && mesh.active.includes(axis))
  const held = group.reduce<readonly Float64Array[]>((now, axis) => {
    const bit = 1 << mesh.active.indexOf(axis)
    // Lower coordinate first on both sides of a pair, so that both add in the same order.
    return now.map((_, chip) => {
      const [low, high] = [now[chip & ~bit], now[chip | bit]]
      return Float64Array.from(low ?? [], (value, entry) => join(value, high?.[entry] ?? Number.NaN))
    })
  }, parts.held)
  return { labels: parts.labels, held }
}

/** The index along every label, of every entry in order. */
function indicesOf(mesh: SimulatedMesh, labels: readonly string[]): readonly (readonly number[])[] {
  return labels.reduce<readonly (readonly number[])[]>(
    (partial, label) =>
      partial.flatMap((index) => Array.from({ length: mesh.size(label) }, (_, at) => [...index, at])),
    [[]],
  )
}

function offsets(
  mesh: SimulatedMesh,
  space: readonly string[],
  indices: readonly (readonly number[])[],
  labels: readonly string[],
): Int32Array {
  const positions = labels.map((label) => space.indexOf(label))
  return Int32Array.from(indices, (index) =>
    labels.reduce((offset, label, at) => offset * mesh.size(label) + (index[positions[at] ?? 0] ?? 0), 0),
  )
}
