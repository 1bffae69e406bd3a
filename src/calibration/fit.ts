/**
 * Fits constants to a few measured runs while holding them near what is assumed: the most likely values minimise
 *
 *   sum over runs of (ν + 1)/2 · log(1 + (r/σ)²/ν)  +  sum over constants of u²/2
 *
 * where r is the logarithm of measured over predicted and u is how many spreads a constant is away from what is assumed (constants.ts).
 * σ is by how much one configuration differs when it is measured again (3 % in the middle, fixtures/measurements). Errors have
 * Student's distribution with ν = 3, whose tails are heavy: a run that is far off what the others say pulls no harder the further it
 * is off, so one run cannot upset the rest.
 *
 * Times are worked out on a grid of at most a few hundred points and joined by multilinear interpolation of their logarithms, so that the
 * work is bounded and leaving runs out costs nothing. The best point of the grid is refined by halving steps.
 */

/** How many spreads each constant is away from what is assumed. */
export type Point = readonly number[]

export interface Surface {
  /** Coordinates of the grid points along one constant, the same for each. */
  readonly ticks: readonly number[]
  readonly dimensions: number
  /** For each run, log(measured / predicted) at every grid point, the last constant varying fastest. */
  readonly residuals: readonly (readonly number[])[]
}

const sigma = 0.03
const freedom = 3

/** Grid points along each constant, by the number of constants. */
const finest: readonly number[] = [1, 33, 13, 7]

/** Spreads from the assumed value beyond which no constant is looked for. */
const furthest = 3

export function ticksFor(dimensions: number): readonly number[] {
  const points = finest[dimensions] ?? 7
  if (points === 1) return [0]
  return Array.from({ length: points }, (_, at) => (2 * furthest * at) / (points - 1) - furthest)
}

export function gridOf(ticks: readonly number[], dimensions: number): readonly Point[] {
  if (dimensions === 0) return [[]]
  return gridOf(ticks, dimensions - 1).flatMap((point) => ticks.map((tick) => [...point, tick]))
}

/** The residual of one run at a point between those of the grid, by interpolation. */
export function residualAt({ ticks, residuals }: Surface, run: number, point: Point): number {
  const own = residuals[run] ?? []
  const corner = (left: Point, at: number): number => {
    const [first, ...rest] = left
    if (first === undefined) return own[at] ?? Number.NaN
    const [start = 0] = ticks
    const step = ticks.length > 1 ? (ticks[1] ?? 0) - start : 1
    const place = Math.min(Math.max((first - start) / step, 0), Math.max(ticks.length - 2, 0))
    const low = Math.floor(place)
    const share = Math.min(Math.max((first - start) / step - low, 0), 1)
    const lower = corner(rest, at * ticks.length + low)
    return share === 0 ? lower : lower + share * (corner(rest, at * ticks.length + low + 1) - lower)
  }
  return corner(point, 0)
}

/** The sum that the fit minimises: less is likelier. */
function unlikelihood(surface: Surface, runs: readonly number[], point: Point): number {
  const ofRuns = runs.reduce((sum, run) => {
    const z = residualAt(surface, run, point) / sigma
    return sum + ((freedom + 1) / 2) * Math.log(1 + (z * z) / freedom)
  }, 0)
  return point.reduce((sum, away) => sum + (away * away) / 2, ofRuns)
}

export function fitted(surface: Surface, runs: readonly number[]): Point {
  const { ticks, dimensions } = surface
  const cost = (point: Point) => unlikelihood(surface, runs, point)
  const grid = gridOf(ticks, dimensions)
  const origin = Array.from({ length: dimensions }, () => 0)
  let best: Point = grid.reduce((least, point) => (cost(point) < cost(least) ? point : least), origin)
  let step = ticks.length > 1 ? (ticks[1] ?? 0) - (ticks[0] ?? 0) : 0
  for (; step > 1e-4; step /= 2) {
    for (let improved = true; improved; ) {
      improved = false
      for (let axis = 0; axis < dimensions; axis++) {
        for (const by of [step, -step]) {
          const tried = best.map((away, at) =>
            at === axis ? Math.min(Math.max(away + by, -furthest), furthest) : away,
          )
          if (cost(tried) < cost(best) - 1e-12) {
            best = tried
            improved = true
          }
        }
      }
    }
  }
  return best
}

/** For each constant the spread that the runs leave, over the one that was expected; 1 when they say nothing about it. */
export function spreadsLeft(surface: Surface, runs: readonly number[], point: Point): readonly number[] {
  const step = 0.1
  return point.map((_, axis) => {
    const at = (by: number) =>
      unlikelihood(
        surface,
        runs,
        point.map((away, other) => (other === axis ? away + by : away)),
      )
    const curvature = (at(step) - 2 * at(0) + at(-step)) / step ** 2
    return Math.min(1, 1 / Math.sqrt(Math.max(curvature, 1)))
  })
}
