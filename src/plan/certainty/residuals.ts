/**
 * How far off predictions were where somebody measured, as data: quantiles of measured over predicted time of the rows of
 * fixtures/measurements that no constant was set on, by regime. Made by `npm run accuracy -- --record`, kept in
 * fixtures/residuals.json.
 *
 * A regime is what runs have in common; the narrowest with enough of them speaks for a plan. What a source that nobody has seen
 * yet will do is wider than what those did that are there: `widened` is by how much quantiles are drawn apart, from the median, so
 * that of each source in turn nine of ten runs, and eight of ten, lie inside of what the others say
 * (test/accuracy/residual-record.ts).
 */
import type { modes } from '../../modes/names.ts'

/** What a regime's runs may have in common, the narrowest first: null in the table where they need not. */
export const levels = [
  ['kind', 'era', 'generation', 'framework'],
  ['kind', 'era', 'generation'],
  ['kind', 'era'],
  ['kind'],
  [],
] as const

/** Fewer configurations than these say nothing of a ninth decile. */
export const enough = 15

export type ResidualMode = (typeof modes)[number]

/** Of predicted times of one mode, those of a regime: of a plan or of a measured run. */
export interface Circumstances {
  readonly mode: ResidualMode
  readonly kind: 'dense' | 'experts'
  readonly era: 'modern' | 'older'
  /** Of the chip; null where nobody measured on its like. */
  readonly generation: string | null
  /** Those that launch it. */
  readonly frameworks: readonly string[]
}

export interface Regime {
  readonly mode: ResidualMode
  readonly kind: 'dense' | 'experts' | null
  readonly era: 'modern' | 'older' | null
  readonly generation: string | null
  readonly framework: string | null
  /** Configurations, a measured one once. */
  readonly rows: number
  /** Places that they were published at. */
  readonly sources: number
  /** What ran, with its releases. */
  readonly software: readonly string[]
  /** Of measured over predicted. */
  readonly quantiles: Quantiles
}

export interface Quantiles {
  readonly p05: number
  readonly p10: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
}

/**
 * By how much two layouts of one question differ in their errors: the eleven deciles of |log ratio - log ratio|, from none to the
 * largest that was seen. What all plans of a question have wrong alike is not in it.
 */
export interface Differences {
  readonly pairs: number
  readonly questions: number
  readonly deciles: readonly number[]
}

/** Powers by which what lies between the outer quantiles, and the inner ones, is drawn apart. */
export interface Widening {
  readonly nineOfTen: number
  readonly eightOfTen: number
}

export interface Residuals {
  /** Names of the catalogue by generation. */
  readonly generations: Readonly<Record<string, readonly string[]>>
  readonly widened: Readonly<Record<ResidualMode, Widening>>
  /** The narrowest first. */
  readonly regimes: readonly Regime[]
  /** Of training, between layouts that cut the model up alike (tensor, context, expert, pipeline), and otherwise. */
  readonly differences: { readonly alike: Differences; readonly otherwise: Differences }
}

/** The narrowest regime that there is of them; of several as narrow the one with most rows. */
export function regimeOf(
  regimes: readonly Regime[],
  { mode, kind, era, generation, frameworks }: Circumstances,
): Regime | null {
  const held = levels.map((fixed: readonly string[]) =>
    regimes.filter(
      (regime) =>
        regime.mode === mode &&
        regime.kind === (fixed.includes('kind') ? kind : null) &&
        regime.era === (fixed.includes('era') ? era : null) &&
        regime.generation === (fixed.includes('generation') ? generation : null) &&
        (fixed.includes('framework')
          ? regime.framework !== null && frameworks.includes(regime.framework)
          : regime.framework === null) &&
        (!fixed.includes('generation') || generation !== null),
    ),
  )
  const narrowest = held.find(({ length }) => length > 0) ?? []
  return narrowest.reduce<Regime | null>((most, one) => (most && most.rows >= one.rows ? most : one), null)
}

export interface Band {
  readonly nineOfTen: readonly [low: number, high: number]
  readonly eightOfTen: readonly [low: number, high: number]
}

/** Quantiles drawn apart from their median, in logarithms; what nine of ten lie in is no narrower than what eight do. */
export function bandOf({ p05, p10, p50, p90, p95 }: Quantiles, { nineOfTen, eightOfTen }: Widening): Band {
  const apart = (value: number, power: number) => p50 * (value / p50) ** power
  const [low, high] = [apart(p10, eightOfTen), apart(p90, eightOfTen)]
  return {
    nineOfTen: [Math.min(low, apart(p05, nineOfTen)), Math.max(high, apart(p95, nineOfTen))],
    eightOfTen: [low, high],
  }
}
