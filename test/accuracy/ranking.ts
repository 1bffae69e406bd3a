/**
 * Whether predictions order layouts as measurements do: groups of one model, chips, batch and software with several
 * layouts. Kendall's tau-b of predicted and measured times, and how much longer the layout that is predicted to be
 * fastest took than the one that was.
 */
import { type Compared, configurations, geometricMean, groupedBy } from './compared.ts'

export interface RankedGroup {
  /** The question in words. */
  readonly what: string
  readonly stack: string
  readonly era: Compared['era']
  readonly layouts: number
  readonly tau: number
  /** The same with measured times that are no further apart than noise as ties; null if all of them are. */
  readonly tauBeyondNoise: number | null
  /** By how much its slowest layout took longer than its fastest. */
  readonly spread: number
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
    const times = pairs.map(([, measured]) => measured)
    const spread = Math.max(...times) / Math.min(...times) - 1
    const beyond = spread > noise ? kendallTau(pairs, noise) : null
    return [
      {
        ...{ what: words(question), stack, era, layouts: layouts.length, spread },
        ...{ tau: kendallTau(pairs), tauBeyondNoise: beyond, regret: regret(pairs) },
      },
    ]
  })
}

/**
 * Measured times that differ by no more have no order. BLOOM's log, which nearly all groups are from, calls its numbers single
 * iterations that may be off by a few per cent; what it measured again differs by 1 % (median) and 4 % at most.
 */
export const noise = 0.02

function words(question: string): string {
  const [model, , chips, sequences, length, , stack, release] = JSON.parse(question)
  const named =
    typeof model === 'string' ? model : `${model.layers} layers of ${model.dModel}, ${model.heads} heads`
  return `${stack} ${release}: ${named}, ${chips} chips, ${sequences} sequences of ${length}`
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

/** Tau-b; 0 where all of either are equal. Measured times count as equal if one is at most `tied` longer than the other, as a fraction. */
export function kendallTau(pairs: readonly Pair[], tied = 0): number {
  let agreeing = 0
  let [ofPredicted, ofMeasured] = [0, 0]
  pairs.forEach(([x, y], index) => {
    for (const [otherX, otherY] of pairs.slice(index + 1)) {
      const apart = Math.max(y, otherY) > (1 + tied) * Math.min(y, otherY)
      const [a, b] = [Math.sign(x - otherX), apart ? Math.sign(y - otherY) : 0]
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
