/**
 * How far off predictions have been, as data: quantiles of measured over predicted time, by regime, of those rows of
 * fixtures/measurements that no constant was fitted to. Made by `npm run accuracy -- --record`, kept in
 * fixtures/residuals.json.
 *
 * A regime is a set of circumstances that runs have in common; the narrowest one with enough runs is used for a plan.
 * New sources are expected to scatter more than the known ones, so `widened` says by how much the quantiles are spread
 * from the median: so far that, each source in turn being left out, nine of ten (and eight of ten) runs of each class lie within the
 * band of the other sources (test/accuracy/residual-record.ts).
 */
import type { Chip } from '../../hardware/chip.ts'
import { kinOf } from '../../hardware/kin.ts'
import type { modes } from '../../modes/names.ts'
import type { RanLimits } from './measured-range.ts'
import type { CutAxis } from './octaves.ts'

/** What runs of a regime have in common, the narrowest first; a regime has null for what is not listed. */
export const levels = [
  ['kind', 'era', 'generation', 'framework'],
  ['kind', 'era', 'generation'],
  ['kind', 'generation'],
  ['kind', 'era'],
  ['kind'],
  [],
] as const

export type ResidualMode = (typeof modes)[number]

/** Runs of models without and with experts, and runs by releases since 2024 and before. */
export const kinds = ['dense', 'experts'] as const
export const eras = ['modern', 'older'] as const

type Kind = (typeof kinds)[number]
type Era = (typeof eras)[number]

/** What decides the regime of a plan or of a measured run. */
export interface Circumstances {
  readonly mode: ResidualMode
  readonly kind: Kind
  readonly era: Era
  /** Generation of the chip; null if nothing was measured on one like it. */
  readonly generation: string | null
  /** Frameworks that launch it. */
  readonly frameworks: readonly string[]
  /** Whether the request says which software runs it, and how; otherwise it is costed as the usual one runs today. */
  readonly named: boolean
}

export interface Regime {
  readonly mode: ResidualMode
  readonly kind: Kind | null
  readonly era: Era | null
  readonly generation: string | null
  readonly framework: string | null
  /** Whether its runs were costed as their own software ran, or as requests are that name none; null where both are the same. */
  readonly named: boolean | null
  /** Distinct measured configurations. */
  readonly rows: number
  /** Number of publications that they are from. */
  readonly sources: number
  /** Software that ran, with its releases. */
  readonly software: readonly string[]
  /** Quantiles of measured over predicted time. */
  readonly quantiles: Quantiles
  readonly widened: Widening
}

/** Runs of one model, on chips of one generation and under one framework, that were far off in the middle (model-runs.ts). */
export interface ModelRuns {
  readonly mode: ResidualMode
  /** Key of the architecture (`shapeOf`). */
  readonly shape: string
  readonly generation: string
  readonly framework: string
  /** As in a regime: whether they were costed as their own software ran; null where that is the same. */
  readonly named: boolean | null
  /** Of training, the power of two that their sequences are nearest to in length (`octaveOf`). */
  readonly octave: number | null
  /** Measured configurations of releases since 2024. */
  readonly rows: number
  readonly software: readonly string[]
  /** Median of measured over predicted time. */
  readonly median: number
}

export interface Quantiles {
  readonly p05: number
  readonly p10: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
}

/**
 * How much the prediction errors of two layouts of one question differ: eleven deciles of |log ratio - log ratio| / √(1 + g·o), from
 * the least to the largest seen. An error that all plans of a question share cancels out; what is left grows with the octaves o that lie
 * between the two layouts, at the rate g (`growth`).
 */
export interface Differences {
  readonly pairs: number
  readonly questions: number
  /** Pairs of layouts that differ in tensor, context, expert or pipeline. */
  readonly apartIn: Readonly<Record<CutAxis, number>>
  readonly deciles: readonly number[]
}

/** Exponents that spread the outer (5 %, 95 %) and the inner (10 %, 90 %) quantiles from the median. */
export interface Widening {
  readonly nineOfTen: number
  readonly eightOfTen: number
}

export interface Residuals {
  /** Names of catalogue chips, by generation. */
  readonly generations: Readonly<Record<string, readonly string[]>>
  /** The narrowest come first. */
  readonly regimes: readonly Regime[]
  /** Models whose own runs were far off. */
  readonly models: readonly ModelRuns[]
  readonly differences: LayoutDifferences
  /** How far measured runs of training go. */
  readonly ran: RanLimits
}

export interface LayoutDifferences {
  /** What an octave between two layouts adds to the variance of their difference, relative to layouts that divide the model alike. */
  readonly growth: number
  readonly training: Differences
  readonly inference: Differences
}

/** The chips that a chip's kernels are like those of; null where no measured run is of any of them. */
export function generationOf(
  { generations }: Pick<Residuals, 'generations'>,
  chip: Pick<Chip, 'name' | 'kin'>,
): string | null {
  const kin = kinOf(chip)
  const [generation = null] = Object.keys(generations).filter(
    (name) => kin !== null && generations[name]?.includes(kin),
  )
  return generation
}

/** The narrowest regime that covers the circumstances; of several equally narrow ones that with the most rows. */
export function regimeOf<Own extends Omit<Regime, 'widened'>>(
  regimes: readonly Own[],
  { mode, kind, era, generation, frameworks, named }: Circumstances,
): Own | null {
  const held = levels.map((fixed: readonly string[]) =>
    regimes.filter(
      (regime) =>
        regime.mode === mode &&
        (regime.named ?? named) === named &&
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
  return narrowest.reduce<Own | null>((most, one) => (most && most.rows >= one.rows ? most : one), null)
}

export interface Band {
  readonly nineOfTen: readonly [low: number, high: number]
  readonly eightOfTen: readonly [low: number, high: number]
}

/** Quantiles spread from their median, on a logarithmic scale. The band for nine of ten is made at least as wide as that for eight of ten. */
export function bandOf({ p05, p10, p50, p90, p95 }: Quantiles, { nineOfTen, eightOfTen }: Widening): Band {
  const apart = (value: number, power: number) => p50 * (value / p50) ** power
  const [low, high] = [apart(p10, eightOfTen), apart(p90, eightOfTen)]
  return {
    nineOfTen: [Math.min(low, apart(p05, nineOfTen)), Math.max(high, apart(p95, nineOfTen))],
    eightOfTen: [low, high],
  }
}
