/**
 * Whether predictions order layouts as measurements do: groups of one model, chips, batch and software with several
 * layouts. Kendall's tau-b of predicted and measured times, and how much longer the layout that is predicted to be
 * fastest took than the one that was.
 */
import { type Compared, configurations, geometricMean, groupedBy } from './compared.ts'

export interface RankedGroup {
  readonly question: string
  readonly stack: string
  readonly era: Compared['era']
  readonly layouts: number
  readonly tau: number
  readonly regret: number
}

export function rankedGroups(rows: readonly Compared[]): readonly RankedGroup[] {
  const groups = groupedBy(configurations(rows), ({ question }) => question)
  return [...groups].flatMap(([question, all]) => {
    const layouts = [...groupedBy(all, ({ layout }) => layout).values()]
    if (layouts.length < 2) return []
    const { stack, era } = all[0] ?? { stack: '', era: 'older' as const }
    const mean = (rows: readonly Compared[], of: 'predicted' | 'measured') =>
      geometricMean(rows.map((row) => row[of]))
    const pairs = layouts.map((alike) => [mean(alike, 'predicted'), mean(alike, 'measured')] as const)
    return [{ question, stack, era, layouts: layouts.length, tau: kendallTau(pairs), regret: regret(pairs) }]
  })
}

/** By how much the slowest measurement of one layout took longer than its fastest, under the same release: what no order can be told within. */
export function repeatedSpreads(rows: readonly Compared[]): readonly number[] {
  const alike = groupedBy(rows, ({ question, layout }) => `${question} ${layout}`)
  return [...alike.values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const times = group.map(({ measured }) => measured)
      return Math.max(...times) / Math.min(...times) - 1
    })
}

type Pair = readonly [predicted: number, measured: number]

/** Tau-b; 0 where all of either are equal. */
export function kendallTau(pairs: readonly Pair[]): number {
  let agreeing = 0
  let [ofPredicted, ofMeasured] = [0, 0]
  pairs.forEach(([x, y], index) => {
    for (const [otherX, otherY] of pairs.slice(index + 1)) {
      const [a, b] = [Math.sign(x - otherX), Math.sign(y - otherY)]
      agreeing += a * b
      ofPredicted += Math.abs(a)
      ofMeasured += Math.abs(b)
    }
  })
  const compared = Math.sqrt(ofPredicted * ofMeasured)
  return compared > 0 ? agreeing / compared : 0
}

export function regret(pairs: readonly Pair[]): number {
  const chosen = pairs.reduce((best, pair) => (pair[0] < best[0] ? pair : best))
  return chosen[1] / Math.min(...pairs.map(([, measured]) => measured)) - 1
}
