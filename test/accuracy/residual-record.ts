/**
 * How sure predictions are, from the rows that no constant was fitted to: quantiles of measured over predicted time by
 * regime (src/plan/certainty/residuals.ts), and how far they have to be spread to hold for other sources.
 *
 * Each source is left out in turn, and its runs are compared with the bands of the others, as an answer would give them today: those of
 * releases since 2024. Rows of one source are alike (its machine, its recipes, how it counts), so that a band made with them would be
 * too narrow for the next source. `widened` has the lowest exponents with which nine of ten runs of every class lie between the outer
 * quantiles, and eight of ten between the inner ones. Of a source without which too few rows are
 * left of its kind for a regime, the releases count as sources.
 *
 * Runs of training are predicted twice: as their own software runs, and as a request is that names none.
 */
import {
  type Band,
  bandOf,
  type Circumstances,
  levels,
  type Quantiles,
  type Regime,
  type ResidualMode,
  type Residuals,
  regimeOf,
  type Widening,
} from '../../src/plan/certainty/residuals.ts'
import { type Compared, configurations, groupedBy } from './compared.ts'
import { differences, ran } from './differences.ts'
import { frameworkOf, generationOf, generations } from './software.ts'
import { rounded } from './summary.ts'

/** The least number of configurations from which a ninth decile is taken. */
export const enough = 15

/** One configuration, and what it took over what was predicted. */
export interface Residual extends Circumstances {
  readonly source: string
  readonly software: string
  readonly release: string
  readonly ratio: number
}

/** What rows compare, by the mode whose plans they speak for. */
export const modeOf: Readonly<Record<string, ResidualMode>> = {
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
  named = true,
): readonly Residual[] {
  return configurations(rows.filter(({ split }) => split === 'test')).flatMap((row) => {
    const mode = modeOf[row.phase]
    const framework = frameworkOf(row.stack)
    if (!mode) return []
    return {
      ...{ mode, kind: row.kind, era: row.era, generation: generationOf(row.chip) },
      frameworks: framework ? [framework] : [],
      named,
      ...{ source: sourceOf.get(row.id) ?? row.id, software: row.stack, release: row.release },
      ratio: row.measured / row.predicted,
    }
  })
}

export function residualRecord(
  all: readonly Residual[],
  rows: readonly Compared[],
): Omit<Residuals, 'models'> {
  const widths = new Map<string, Widening>()
  const widenedOf = (regime: Unwidened): Widening => {
    const key = JSON.stringify([regime.mode, regime.kind, regime.named])
    const found = widths.get(key) ?? leastWidening(all, regime)
    widths.set(key, found)
    return found
  }
  return {
    generations,
    regimes: todays(all).map((regime) => ({ ...regime, widened: widenedOf(regime) })),
    differences: differences(rows.filter(({ split }) => split === 'test')),
    ran: ran(rows),
  }
}

/** Of one class of runs: how many lie in what the other sources say. */
export interface Coverage {
  readonly configurations: number
  readonly sources: number
  readonly widened: Widening
  readonly insideNineOfTen: number
  readonly insideEightOfTen: number
  /** The middle one of the upper over the lower end of nine of ten. */
  readonly ratioOfEnds: number
}

/** By class, with the widening of the class. */
export function certainty(
  all: readonly Residual[],
  { regimes: recorded }: Pick<Residuals, 'regimes'>,
): Readonly<Record<string, Coverage>> {
  return Object.fromEntries(
    residualModes.flatMap((mode) =>
      classesOf(leftOutBands(all, mode)).flatMap(([name, found]) => {
        const [first] = found
        const regime = first && regimeOf(recorded, { ...first.residual, era: 'modern' })
        return regime ? [[`${mode}${name}`, coverage(found, regime.widened)] as const] : []
      }),
    ),
  )
}

/** Runs of a mode by kind of model and by whether software is named, and of these by age; the whole mode where all of that is too few to judge a band by. */
function classesOf(found: readonly LeftOut[]): readonly (readonly [name: string, readonly LeftOut[]])[] {
  const kindOf = ({ kind, named }: Residual) => `, ${kind}${named ? '' : ', no software named'}`
  const ageOf = (residual: Residual) => `${kindOf(residual)}, ${residual.era}`
  const classes = [kindOf, ageOf].flatMap((of) => [...groupedBy(found, ({ residual }) => of(residual))])
  const large = classes.filter(([, { length }]) => length >= enough)
  return large.length > 0 ? large : [['', found]]
}

interface Judged {
  readonly nine: boolean
  readonly eight: boolean
  readonly ends: number
}

function judgedIn({ residual: { ratio }, quantiles }: LeftOut, widened: Widening): Judged {
  const inside = ([low, high]: Band['nineOfTen']) => low <= ratio && ratio <= high
  const { nineOfTen, eightOfTen } = bandOf(quantiles, widened)
  return { nine: inside(nineOfTen), eight: inside(eightOfTen), ends: nineOfTen[1] / nineOfTen[0] }
}

function coverage(found: readonly LeftOut[], widened: Widening): Coverage {
  const judged = found.map((one) => judgedIn(one, widened))
  const share = (holds: (one: Judged) => boolean) => rounded(judged.filter(holds).length / judged.length)
  const ends = judged.map((one) => one.ends).sort((a, b) => a - b)
  return {
    configurations: found.length,
    sources: new Set(found.map(({ residual }) => residual.source)).size,
    widened,
    insideNineOfTen: share(({ nine }) => nine),
    insideEightOfTen: share(({ eight }) => eight),
    ratioOfEnds: rounded(ends[Math.floor(ends.length / 2)] ?? Number.NaN),
  }
}

/** The least number of runs that say how far the bands of one kind of model are to be widened; else all of the mode do. */
export const telling = 2 * enough

const step = 0.05
const most = 5

/** The least with which a band holds what it says in every class that the regime covers: of releases as answers are for, where there are such. */
function leastWidening(all: readonly Residual[], { mode, kind, named }: Unwidened): Widening {
  const alike = leftOutBands(all, mode).filter(({ residual }) => named === null || residual.named === named)
  const own = alike.filter(({ residual }) => kind === null || residual.kind === kind)
  const every: ReturnType<typeof classesOf> = own.length < telling ? [['', alike]] : classesOf(own)
  const todays = every.filter(([, found]) => found.every(({ residual }) => residual.era === 'modern'))
  const classes = todays.length > 0 ? todays : every
  const least = (widenedBy: (power: number) => Widening, holds: (one: Judged) => boolean, share: number) => {
    for (let power = 1; power < most; power = rounded(power + step)) {
      const widened = widenedBy(power)
      const holding = (found: readonly LeftOut[]) => found.filter((one) => holds(judgedIn(one, widened)))
      if (classes.every(([, found]) => holding(found).length >= share * found.length)) return power
    }
    return most
  }
  const inner = (eightOfTen: number) => ({ nineOfTen: 1, eightOfTen })
  const eightOfTen = least(inner, ({ eight }) => eight, 0.8)
  const outer = (nineOfTen: number) => ({ nineOfTen, eightOfTen })
  return { nineOfTen: least(outer, ({ nine }) => nine, 0.9), eightOfTen }
}

type Unwidened = Omit<Regime, 'widened'>

interface LeftOut {
  readonly residual: Residual
  readonly quantiles: Quantiles
}

/** Of each run, what the sources other than its own would say of it in an answer. */
function leftOutBands(every: readonly Residual[], mode: ResidualMode): readonly LeftOut[] {
  const all = every.filter((one) => one.mode === mode)
  const ofKind = (own: Residual['kind']) => all.filter(({ kind }) => kind === own).length
  const bySource = groupedBy(all, ({ source, kind }) => `${source} ${kind}`)
  // What is left of another kind of model alone says nothing of how a further source of this kind would scatter.
  const placeOf = ({ source, kind, software, release }: Residual) => {
    const others = ofKind(kind) - (bySource.get(`${source} ${kind}`)?.length ?? 0)
    return others < enough ? `${software} ${release}` : source
  }
  return [...groupedBy(all, placeOf)].flatMap(([place, rows]) => {
    const others = todays(all.filter((one) => placeOf(one) !== place))
    return rows.flatMap((residual) => {
      const regime = regimeOf(others, { ...residual, era: 'modern' })
      return regime ? [{ residual, quantiles: regime.quantiles }] : []
    })
  })
}

/** A plan is launched with today's releases. */
function todays(all: readonly Residual[]): readonly Unwidened[] {
  return regimes(all).filter(({ era }) => era !== 'older')
}

/** All with enough rows, and what all of a mode say. */
function regimes(all: readonly Residual[]): readonly Unwidened[] {
  const ofBoth = new Set(all.filter(({ named }) => !named).map(({ mode }) => mode))
  return levels.flatMap((fixed: readonly string[]) => {
    const keyOf = ({ mode, kind, era, generation, frameworks, named }: Residual) => ({
      mode,
      kind: fixed.includes('kind') ? kind : null,
      era: fixed.includes('era') ? era : null,
      generation: fixed.includes('generation') ? generation : null,
      framework: fixed.includes('framework') ? (frameworks[0] ?? null) : null,
      named: ofBoth.has(mode) ? named : null,
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

export function softwareOf(rows: readonly Pick<Residual, 'software' | 'release'>[]): readonly string[] {
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
