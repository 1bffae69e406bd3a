/**
 * An AllGather over several physical axes of a torus at once; the other way round, a ReduceScatter.
 *
 * Along an axis i a group has n_i chips, and r_i bytes a second come into each. An order of axes gathers along one after another: along the
 * first while a chip is to have little of the array, along the last while it is to have all of it. Shares of the array may go by
 * different orders at once, and pieces of a share along different axes at once, so that all links are in use. Whatever the
 * orders, what comes in along all axes adds up to 1 - 1/N of the array, N = Π n_i, and along axes U together to
 *
 *   x(U) >= (1 - 1/n_U) · n_U/N       all of it while U goes first,   n_U = Π_{i in U} n_i
 *
 * Mixtures of orders reach every x that keeps to these (a polymatroid, as 1 - 1/n is submodular: J. Edmonds, Submodular functions, matroids, and certain
 * polyhedra, 1970), so that the best takes
 *
 *   t = V · max over U of (1 - 1/n_U) · n_U/N / r(U),   r(U) = Σ_{i in U} r_i
 *
 * which nothing undercuts: chips that are alike but for U have to let that much in between them, through the ports at the corners. Axes with
 * like links are bound by all of them together, V/ΣW; so are a line of 8 and a ring of 16, whose corners have three. Axes that go first because they
 * are slow leave the others the rest, which is spread in the same way. The book leaves (n-1)/n out where all are rings.
 */
import type { BytesPerSecond } from '../../units.ts'

/** What a group has along one physical axis. */
export interface Along {
  readonly physical: number
  readonly chips: number
  /** Into each chip. */
  readonly rate: BytesPerSecond
  /** Whether all the chips of the axis are in the group. */
  readonly whole: boolean
  readonly ring: boolean
}

/**
 * Seconds per byte that each physical axis is busy, where no axis is named twice. Beside rings, parts of axes gather before all that is whole:
 * what is left of their axes belongs to other groups, whose traffic would share links with what went there later. Where nothing
 * closes, parts and whole axes have like links and gather together.
 */
export function gatherLoads(along: readonly Along[], finite: boolean): ReadonlyMap<number, number> {
  const rings = along.some(({ whole, ring }) => whole && ring)
  const late = along.filter(({ whole }) => whole || !rings)
  const early = along.filter(({ whole }) => !whole && rings)
  const held = chipsOf(late)
  const first = [...loadsTogether(early, finite)].map(([axis, time]) => [axis, time / held] as const)
  return new Map([...first, ...loadsTogether(late, finite)])
}

function loadsTogether(along: readonly Along[], finite: boolean): ReadonlyMap<number, number> {
  const loads = new Map<number, number>()
  let left = along
  while (left.length > 0) {
    const { axes, time } = slowest(left, finite)
    for (const { physical } of axes) loads.set(physical, time)
    left = left.filter((one) => !axes.includes(one))
  }
  return loads
}

interface Going {
  readonly axes: readonly Along[]
  readonly time: number
}

/** The axes that take longest where they go first; of those that take equally long, the most. */
function slowest(along: readonly Along[], finite: boolean): Going {
  const rounded = 1 - 1e-12
  let most: Going = { axes: along, time: timeFirst(along, along, finite) }
  for (let set = 1; set < (1 << along.length) - 1; set++) {
    const axes = along.filter((_, at) => (set & (1 << at)) !== 0)
    const time = timeFirst(axes, along, finite)
    if (time * rounded > most.time) most = { axes, time }
  }
  return most
}

function timeFirst(axes: readonly Along[], all: readonly Along[], finite: boolean): number {
  const chips = chipsOf(axes)
  const rate = axes.reduce((sum, one) => sum + one.rate, 0)
  const book = !finite && axes.every(({ ring, whole }) => ring && whole)
  return (book ? 1 : (chips - 1) / chips) / (chipsOf(all) / chips) / rate
}

function chipsOf(along: readonly Along[]): number {
  return along.reduce((chips, one) => chips * one.chips, 1)
}
