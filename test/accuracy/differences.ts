/**
 * By how much the prediction errors of two layouts differ, if both were run on the same question: an error that all
 * plans of a request share cancels out, and the rest decides whether the plan that is predicted to be faster is.
 *
 * It grows with the octaves o between the layouts: differences are taken for √(1 + g·o)·D, with the g that makes those of all pairs most
 * likely if D has a Laplace distribution, whose width is each kind's own.
 */
import { loadCatalogue } from '../../api/catalogue.ts'
import type { Divided, RanLimits } from '../../src/plan/certainty/measured-range.ts'
import { type cutAxes, cutsOf, octavesBetween } from '../../src/plan/certainty/octaves.ts'
import type { Differences, LayoutDifferences } from '../../src/plan/certainty/residuals.ts'
import { type Mesh, unitMesh } from '../../src/sharding/axis.ts'
import { type Compared, configurations, geometricMean, groupedBy } from './compared.ts'
import { ranLimits } from './ran-limits.ts'
import { rounded } from './summary.ts'

export interface Pair {
  readonly question: string
  readonly meshes: readonly [Mesh, Mesh]
  readonly octaves: number
  /** Of log(measured / predicted). */
  readonly difference: number
}

export function pairsOf(rows: readonly Compared[]): readonly Pair[] {
  return [...groupedBy(configurations(rows), ({ question }) => question)].flatMap(([question, all]) => {
    const layouts = [...groupedBy(all, ({ layout }) => layout)].map(([layout, runs]) => ({
      mesh: meshOf(layout),
      predicted: Math.log(geometricMean(runs.map(({ predicted }) => predicted))),
      measured: Math.log(geometricMean(runs.map(({ measured }) => measured))),
    }))
    return layouts.flatMap((a, at) =>
      layouts.slice(at + 1).map((b): Pair => {
        const [predicted, measured] = [a.predicted - b.predicted, a.measured - b.measured]
        const octaves = octavesBetween(a.mesh, b.mesh)
        return { question, meshes: [a.mesh, b.mesh], octaves, difference: Math.abs(measured - predicted) }
      }),
    )
  })
}

export function differences(rows: readonly Compared[]): LayoutDifferences {
  const training = pairsOf(rows.filter(({ phase }) => phase === 'training'))
  // Of prefill alone too few were measured; rates under load have prefill in them.
  const inference = pairsOf(rows.filter(({ phase }) => phase !== 'training'))
  const growth = growthOf([training, inference])
  return { growth, training: distribution(training, growth), inference: distribution(inference, growth) }
}

const step = 0.1
const most = 5

/** The rate at which variance grows with the octaves between, most likely over all kinds of pairs together. */
export function growthOf(kinds: readonly (readonly Pair[])[]): number {
  const likelihood = (growth: number) =>
    kinds.reduce((sum, pairs) => {
      const widths = pairs.map(({ octaves }) => Math.sqrt(1 + growth * octaves))
      const mean =
        pairs.reduce((all, { difference }, at) => all + difference / (widths[at] ?? 1), 0) / pairs.length
      return sum - widths.reduce((all, width) => all + Math.log(mean * width), 0)
    }, 0)
  let best = 0
  for (let growth = step; growth <= most; growth = rounded(growth + step)) {
    if (likelihood(growth) > likelihood(best)) best = growth
  }
  return best
}

function distribution(pairs: readonly Pair[], growth: number): Differences {
  const sorted = pairs
    .map(({ difference, octaves }) => difference / Math.sqrt(1 + growth * octaves))
    .sort((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const [low = Number.NaN, high = low] = sorted.slice(Math.floor(place), Math.floor(place) + 2)
    return rounded(low + (place - Math.floor(place)) * (high - low))
  }
  const apart = (axis: (typeof cutAxes)[number]) =>
    pairs.filter(({ meshes: [a, b] }) => cutsOf(a)[axis] !== cutsOf(b)[axis]).length
  return {
    pairs: pairs.length,
    questions: new Set(pairs.map(({ question }) => question)).size,
    apartIn: {
      ...{ tensor: apart('tensor'), context: apart('context') },
      ...{ expert: apart('expert'), pipeline: apart('pipeline') },
    },
    deciles: [0, ...Array.from({ length: 10 }, (_, tenth) => at((tenth + 1) / 10))],
  }
}

/** How far runs of training go, whatever came of them. */
export function ran(rows: readonly Compared[]): RanLimits {
  const { chips } = loadCatalogue()
  return ranLimits(
    rows
      .filter(({ phase }) => phase === 'training')
      .map(({ question, layout, chip: name }) => {
        const [, , , , sequenceLength]: readonly [unknown, unknown, unknown, unknown, number] =
          JSON.parse(question)
        const chip = chips.get(name)
        if (!chip) throw new RangeError(`The catalogue has no ${name}`)
        return { ...dividedOf(layout), sequenceLength, chip }
      }),
  )
}

function meshOf(layout: string): Mesh {
  return dividedOf(layout).mesh
}

/** A layout begins with its mesh; what its pipeline has stands behind. */
function dividedOf(layout: string): Divided {
  const [mesh, , , , virtualStages]: readonly [Partial<Mesh>, ...unknown[]] = JSON.parse(layout)
  return {
    mesh: { ...unitMesh, ...mesh },
    ...(typeof virtualStages === 'number' ? { virtualStages } : {}),
  }
}
