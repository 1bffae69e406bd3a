/**
 * How sure predictions are, from the rows that no constant was fitted to: quantiles of measured over predicted time by
 * regime (src/plan/certainty/residuals.ts), and how far they have to be spread to hold for other sources.
 *
 * Each source is left out in turn, and its runs are compared with the bands of the others. Rows of one source are alike
 * (its machine, its recipes, how it counts), so that a band made with them would be too narrow for the next source.
 * `widened` has the lowest exponents with which nine of ten runs lie between the outer quantiles, and eight of ten
 * between the inner ones. Of a source without which too few rows are left for a regime, the releases count as sources.
 */
import {
  type Band,
  bandOf,
  type Circumstances,
  enough,
  levels,
  type Quantiles,
  type Regime,
  type ResidualMode,
  type Residuals,
  regimeOf,
  type Widening,
} from '../../src/plan/certainty/residuals.ts'
import { type Compared, configurations, groupedBy } from './compared.ts'
import { differences } from './differences.ts'
import { frameworkOf, generationOf, generations } from './software.ts'
import { rounded } from './summary.ts'

/** One configuration, and what it took over what was predicted. */
export interface Residual extends Circumstances {
  readonly source: string
  readonly software: string
  readonly release: string
  readonly ratio: number
  readonly within: boolean | null
}

/** What rows compare, by the mode whose plans they speak for. */
const modeOf: Readonly<Record<string, ResidualMode>> = {
  training: 'train',
  'prefill-latency': 'prefill',
  'decode-latency': 'generate',
  'request-latency': 'generate',
  'time-per-output-token': 'generate',
  'max-throughput': 'serve',
}

export const residualModes: readonly ResidualMode[] = ['train', 'prefill', 'generate', 'serve']

export function residuals(
  rows: readonly Compared[],
  sourceOf: ReadonlyMap<string, string>,
): readonly Residual[] {
  return configurations(rows.filter(({ split }) => split === 'test')).flatMap((row) => {
    const mode = modeOf[row.phase]
    const framework = frameworkOf(row.stack)
    if (!mode) return []
    return {
      ...{ mode, kind: row.kind, era: row.era, generation: generationOf(row.chip) },
      frameworks: framework ? [framework] : [],
      ...{ source: sourceOf.get(row.id) ?? row.id, software: row.stack, release: row.release },
      ...{ ratio: row.measured / row.predicted, within: row.within },
    }
  })
}

export function residualRecord(all: readonly Residual[], rows: readonly Compared[]): Residuals {
  const widened = residualModes.map((mode) => [mode, leastWidening(all.filter((one) => one.mode === mode))])
  const tested = rows.filter(({ split }) => split === 'test')
  return {
    generations,
    widened: Object.fromEntries(widened),
    // A plan is launched with today's releases.
    regimes: regimes(all).filter(({ era }) => era !== 'older'),
    differences: {
      training: differences(tested.filter(({ phase }) => phase === 'training')),
      // Of prefill alone too few were measured; rates under load have prefill in them.
      inference: differences(tested.filter(({ phase }) => phase !== 'training')),
    },
  }
}

/** By mode. */
export function certainty(
  all: readonly Residual[],
  { widened }: Residuals,
): Readonly<Record<string, Coverage>> {
  const figures = residualModes.map((mode) => {
    const own = all.filter((one) => one.mode === mode)
    return [mode, coverage(own, widened[mode])] as const
  })
  return Object.fromEntries(figures)
}

/** Of one mode, with quantiles drawn apart by so much: how many lie in what the other sources say. */
export interface Coverage {
  readonly configurations: number
  readonly sources: number
  readonly widened: Widening
  readonly insideNineOfTen: number
  readonly insideEightOfTen: number
  /** The middle one of the upper over the lower end of nine of ten. */
  readonly ratioOfEnds: number
  /** Between a plan's lower and upper bound: of training. */
  readonly withinBounds: number | null
}

export function coverage(all: readonly Residual[], widened: Widening): Coverage {
  const inside = (ratio: number, [low, high]: Band['nineOfTen']) => low <= ratio && ratio <= high
  const judged = leftOutBands(all).map(({ residual: { ratio }, quantiles }) => {
    const { nineOfTen, eightOfTen } = bandOf(quantiles, widened)
    const ends = nineOfTen[1] / nineOfTen[0]
    return { nine: inside(ratio, nineOfTen), eight: inside(ratio, eightOfTen), ends }
  })
  const share = (kept: number, of: number) => rounded(kept / of)
  const bounded = all.flatMap(({ within }) => (within === null ? [] : [within]))
  const ends = judged.map((one) => one.ends).sort((a, b) => a - b)
  return {
    configurations: all.length,
    sources: new Set(all.map(({ source }) => source)).size,
    widened,
    insideNineOfTen: share(judged.filter(({ nine }) => nine).length, judged.length),
    insideEightOfTen: share(judged.filter(({ eight }) => eight).length, judged.length),
    ratioOfEnds: rounded(ends[Math.floor(ends.length / 2)] ?? Number.NaN),
    withinBounds: bounded.length === 0 ? null : share(bounded.filter(Boolean).length, bounded.length),
  }
}

const step = 0.05
const most = 5

function leastWidening(all: readonly Residual[]): Widening {
  const least = (holds: (widened: number) => boolean) => {
    for (let widened = 1; widened < most; widened = rounded(widened + step))
      if (holds(widened)) return widened
    return most
  }
  const eightOfTen = least(
    (power) => coverage(all, { nineOfTen: 1, eightOfTen: power }).insideEightOfTen >= 0.8,
  )
  const nineOfTen = least((power) => coverage(all, { nineOfTen: power, eightOfTen }).insideNineOfTen >= 0.9)
  return { nineOfTen, eightOfTen }
}

/** Of each run, what the sources other than its own say of it. */
function leftOutBands(all: readonly Residual[]) {
  const bySource = groupedBy(all, ({ source }) => source)
  const placeOf = ({ source, software, release }: Residual) =>
    all.length - (bySource.get(source)?.length ?? 0) < enough ? `${software} ${release}` : source
  return [...groupedBy(all, placeOf)].flatMap(([place, rows]) => {
    const others = regimes(all.filter((one) => placeOf(one) !== place))
    return rows.flatMap((residual) => {
      const regime = regimeOf(others, residual)
      return regime ? [{ residual, quantiles: regime.quantiles }] : []
    })
  })
}

/** All with enough rows, and what all of a mode say. */
function regimes(all: readonly Residual[]): readonly Regime[] {
  return levels.flatMap((fixed: readonly string[]) => {
    const keyOf = ({ mode, kind, era, generation, frameworks }: Residual) => ({
      mode,
      kind: fixed.includes('kind') ? kind : null,
      era: fixed.includes('era') ? era : null,
      generation: fixed.includes('generation') ? generation : null,
      framework: fixed.includes('framework') ? (frameworks[0] ?? null) : null,
    })
    const known = all.filter(
      ({ generation, frameworks }) =>
        (generation !== null || !fixed.includes('generation')) &&
        (frameworks.length > 0 || !fixed.includes('framework')),
    )
    const alike = [...groupedBy(known, (row) => JSON.stringify(keyOf(row))).values()]
    return alike.flatMap((rows) => {
      const [first] = rows
      if (!first || (fixed.length > 0 && rows.length < enough)) return []
      return {
        ...keyOf(first),
        rows: rows.length,
        sources: new Set(rows.map(({ source }) => source)).size,
        software: softwareOf(rows),
        quantiles: quantilesOf(rows.map(({ ratio }) => ratio)),
      }
    })
  })
}

function softwareOf(rows: readonly Residual[]): readonly string[] {
  return [...groupedBy(rows, ({ software }) => software)]
    .map(([software, own]) => {
      const releases = [...new Set(own.map(({ release }) => release))].filter((name) => name !== 'not stated')
      return [software, ...releases.sort()].join(' ')
    })
    .sort()
}

/**
 * Of a sample the p-quantile is its p(n + 1)-th: that the next run is under it has the chance p, whatever they are drawn from. The
 * ends where so few say nothing further out.
 */
function quantilesOf(ratios: readonly number[]): Quantiles {
  const sorted = [...ratios].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = Math.min(Math.max(share * (sorted.length + 1) - 1, 0), sorted.length - 1)
    const [low = Number.NaN, high = low] = sorted.slice(Math.floor(place), Math.floor(place) + 2)
    return rounded(low + (place - Math.floor(place)) * (high - low))
  }
  return { p05: at(0.05), p10: at(0.1), p50: at(0.5), p90: at(0.9), p95: at(0.95) }
}
