/**
 * By how much the prediction errors of two layouts differ, if both were run on the same question: an error that all
 * plans of a request share cancels out, and the rest decides whether the plan that is predicted to be faster is.
 */
import { degreesOf } from '../../src/plan/certainty/recipes.ts'
import { type Differences, enough, type LayoutDifferences } from '../../src/plan/certainty/residuals.ts'
import { type Mesh, unitMesh } from '../../src/sharding/axis.ts'
import { type Compared, configurations, geometricMean, groupedBy } from './compared.ts'
import { rounded } from './summary.ts'

interface Pair {
  readonly question: string
  readonly alike: boolean
  /** Of log(measured / predicted). */
  readonly difference: number
  /** How much longer the slower one is predicted to take, and whether it did take longer. */
  readonly predicted: number
  readonly inOrder: boolean
}

export function pairsOf(rows: readonly Compared[]): readonly Pair[] {
  return [...groupedBy(configurations(rows), ({ question }) => question)].flatMap(([question, all]) => {
    const layouts = [...groupedBy(all, ({ layout }) => layout)].map(([layout, runs]) => ({
      degrees: cutOf(layout),
      predicted: Math.log(geometricMean(runs.map(({ predicted }) => predicted))),
      measured: Math.log(geometricMean(runs.map(({ measured }) => measured))),
    }))
    return layouts.flatMap((a, at) =>
      layouts.slice(at + 1).map((b): Pair => {
        const [predicted, measured] = [a.predicted - b.predicted, a.measured - b.measured]
        return {
          ...{ question, alike: a.degrees === b.degrees, difference: Math.abs(measured - predicted) },
          ...{ predicted: Math.abs(predicted), inOrder: predicted * measured > 0 },
        }
      }),
    )
  })
}

export function differences(rows: readonly Compared[]): LayoutDifferences {
  const pairs = pairsOf(rows)
  const same = pairs.filter(({ alike }) => alike)
  return {
    alike: same.length < enough ? null : distribution(same),
    otherwise: distribution(pairs.filter(({ alike }) => !alike)),
  }
}

function distribution(pairs: readonly Pair[]): Differences {
  const sorted = pairs.map(({ difference }) => difference).sort((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const [low = Number.NaN, high = low] = sorted.slice(Math.floor(place), Math.floor(place) + 2)
    return rounded(low + (place - Math.floor(place)) * (high - low))
  }
  return {
    pairs: pairs.length,
    questions: new Set(pairs.map(({ question }) => question)).size,
    deciles: [0, ...Array.from({ length: 10 }, (_, tenth) => at((tenth + 1) / 10))],
  }
}

/** How the model is cut up, whatever the replicas. */
function cutOf(layout: string): string {
  const [mesh]: readonly Partial<Mesh>[] = JSON.parse(layout)
  if (!mesh) throw new RangeError('A layout begins with its mesh')
  return degreesOf({ ...unitMesh, ...mesh })
}
