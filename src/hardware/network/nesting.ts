/**
 * How mesh axes share the physical axes of a torus: on each, parts nest, innermost first. Which parts a placement may have, and which placements are
 * mirror images of others.
 */
import { known, remembered } from '../../known.ts'
import { recent } from '../../recent.ts'
import type { TorusNetwork } from '../cluster/cluster.ts'
import { factorings } from '../cluster/factorings.ts'
import { permutations } from '../cluster/permutations.ts'

/** A part on one physical axis: the index of the active mesh axis, and its number of chips. Parts are listed innermost first. */
interface Nested {
  readonly index: number
  readonly size: number
}

/** The parts on each physical axis that has some. */
export type Chosen = readonly (readonly Nested[])[]

/** Every way for mesh axes of so many chips to share the physical axes of a slice. */
export type Nestings = (network: TorusNetwork, within: readonly number[]) => readonly Chosen[]

/** Whether nothing is to be listed with such sizes of mesh axes on the next physical axis, which leave so much of them to the axes after it. */
type Refuses = (sizes: readonly number[], left: readonly number[], chosen: Chosen) => boolean

/** What is listed, of mesh axes with so many chips each. */
type Limit = (topology: readonly number[], within: readonly number[]) => Refuses

/** A mesh axis that has a part of a physical axis has no part of another. */
const onePart: Limit = (topology) => {
  const wholeAfter = topology.map((_, physical) => productsOfSome(topology.slice(physical + 1)))
  return (sizes, left, chosen) => {
    const length = topology[chosen.length] ?? 1
    const whole = wholeAfter[chosen.length]
    return sizes.some((size, index) => {
      const isPart = size > 1 && size < length
      const hadPart = isSplit(chosen, index)
      return (isPart && hadPart) || ((isPart || hadPart) && !whole?.has(left[index] ?? 1))
    })
  }
}

function isSplit(chosen: Chosen, index: number): boolean {
  return chosen.some((nest) => nest.length > 1 && nest.some((part) => part.index === index))
}

/** Every product of some of the lengths, none of them and all included. */
function productsOfSome(lengths: readonly number[]): ReadonlySet<number> {
  let products = [1]
  for (const length of lengths) products = products.flatMap((product) => [product, product * length])
  return new Set(products)
}

/** All axes together have as few parts as they can. */
const fewest: Limit = (topology, within) => {
  const needed = partsNeeded(topology)
  const most = needed(within, 0)
  return (sizes, left, chosen) => {
    const parts = chosen.reduce((sum, nest) => sum + partsOf(nest.length), partsOf(counted(sizes)))
    return parts + needed(left, chosen.length + 1) > most
  }
}

/** The fewest parts in which mesh axes take the physical ones from one on: in which order they nest does not matter for that. */
function partsNeeded(topology: readonly number[]): (left: readonly number[], physical: number) => number {
  const asked = new Map<string, number>()
  const needed = (left: readonly number[], physical: number): number => {
    const length = topology[physical]
    if (length === undefined) return 0
    return known(asked, `${physical} ${left}`, () => {
      let least = Number.POSITIVE_INFINITY
      for (const sizes of factorings(length, left)) {
        const own = partsOf(counted(sizes))
        if (own < least) least = Math.min(least, own + needed(leftBy(left, sizes), physical + 1))
      }
      return least
    })
  }
  return needed
}

/** What each mesh axis still needs. */
function leftBy(left: readonly number[], sizes: readonly number[]): readonly number[] {
  return left.map((size, index) => size / (sizes[index] ?? 1))
}

/** Number of mesh axes on a physical axis. */
function counted(sizes: readonly number[]): number {
  return sizes.filter((size) => size > 1).length
}

/** What has a physical axis for itself has no part of it, but all. */
function partsOf(axesOnIt: number): number {
  return axesOnIt > 1 ? axesOnIt : 0
}

/** Meshes that are searched have few distinct sizes of axes, which later searches of the same chips ask for again. */
const mostKnown = 300

/** With at most one part of each mesh axis beside whole physical axes. */
export const partOfEach = nestingsUnder(onePart, orders)

/** With as few parts as all mesh axes together can have. */
export const fewestParts = nestingsUnder(fewest, orders)

const unorderedPartOfEach = nestingsUnder(onePart, inPlace)
const unorderedFewestParts = nestingsUnder(fewest, inPlace)

/** What mesh axes of so many chips may take of the physical axes, in whatever order they nest. */
export const unorderedNestings: Nestings = (network, within) => {
  const found = unorderedPartOfEach(network, within)
  return found.length > 0 ? found : unorderedFewestParts(network, within)
}

/** `orders` are those in which mesh axes of such sizes are to nest on a physical axis. */
function nestingsUnder(limit: Limit, orders: (sizes: readonly number[]) => Chosen): Nestings {
  const kept = recent<readonly Chosen[]>(mostKnown)
  return ({ topology, wraps }, within) =>
    known(kept, `${topology} ${wraps} ${within}`, () => {
      const found: Chosen[] = []
      nest({ topology, wraps, orders, refuses: limit(topology, within), found }, within, [])
      return found
    })
}

/** What `nest` works with, and where it writes what it finds. */
interface Nesting extends Pick<TorusNetwork, 'topology' | 'wraps'> {
  readonly orders: (sizes: readonly number[]) => Chosen
  readonly refuses: Refuses
  readonly found: Chosen[]
}

/** Nests parts depth first over the physical axes: `chosen` has those of the axes before, `left` what each mesh axis still needs. */
function nest(nesting: Nesting, left: readonly number[], chosen: Chosen): void {
  const { topology, orders, refuses, found } = nesting
  const length = topology[chosen.length]
  if (length === undefined) {
    if (left.every((size) => size === 1)) found.push(chosen)
    return
  }
  for (const sizes of factorings(length, left)) {
    const remaining = leftBy(left, sizes)
    if (refuses(sizes, remaining, chosen)) continue
    for (const parts of orders(sizes)) {
      if (!mirrors(nesting, chosen, parts)) nest(nesting, remaining, [...chosen, parts])
    }
  }
}

/** True when the physical axis before is alike and its parts come later in the order: the mirror image is listed already. */
function mirrors({ topology, wraps }: Nesting, chosen: Chosen, parts: readonly Nested[]): boolean {
  const physical = chosen.length
  const before = chosen[physical - 1]
  if (!before) return false
  const alike = topology[physical] === topology[physical - 1] && wraps[physical] === wraps[physical - 1]
  return alike && compare(before, parts) > 0
}

function compare(a: readonly Nested[], b: readonly Nested[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = keyOf(a[i]) - keyOf(b[i])
    if (difference !== 0) return difference
  }
  return 0
}

function keyOf(part: Nested | undefined): number {
  return part ? part.index * 1e6 + part.size : -1
}

/** Every order in which mesh axes of such sizes may nest. */
function orders(sizes: readonly number[]): Chosen {
  const parts = nestedOf(sizes)
  return ordersOf(parts.length).map((order) => order.flatMap((at) => parts[at] ?? []))
}

/** One order alone. */
function inPlace(sizes: readonly number[]): Chosen {
  return [nestedOf(sizes)]
}

function nestedOf(sizes: readonly number[]): readonly Nested[] {
  return sizes.map((size, index) => ({ index, size })).filter(({ size }) => size > 1)
}

/** Of so many. */
const ordersOf = remembered((count: number) => permutations(Array.from({ length: count }, (_, at) => at)))
