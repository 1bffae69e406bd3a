/**
 * How sure a predicted time is: where measured runs of its regime lay. How much communication is hidden is only one of the things that a
 * prediction may have missed; this range covers them all, and a plan's lower and upper bound hold both.
 */
import { compact } from '../../compact.ts'
import { launchersAmong } from '../../launch/launch.ts'
import type { Setting } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { bandWith, modelRunsOf } from './model-runs.ts'
import {
  bandOf,
  generationOf,
  type ModelRuns,
  type Regime,
  type ResidualMode,
  regimeOf,
  type Widening,
} from './residuals.ts'

type Range = readonly [low: number, high: number]

export interface Uncertainty {
  /** Factors of the predicted step: one measured run in ten was below the first, one in ten above the second. */
  readonly stepTimeRelative: Range
  /** Between these times lay nine of ten runs. */
  readonly nineOfTenSeconds: Range
  readonly basis: UncertaintyBasis
}

/** The runs that it is based on. */
export interface UncertaintyBasis {
  readonly regime: string
  /** Measured configurations, and the number of publications that they are from. */
  readonly rows: number
  readonly sources: number
  readonly software: readonly string[]
  /** Median of measured over predicted time: the bands are not centred on the prediction. */
  readonly median: number
  /** Exponents by which the bands are wider than those runs, so that they hold for other sources too. */
  readonly widened: Widening
  /** Runs of the very model that were far from their predictions, for which the bands are wider still; null where none were. */
  readonly model: ModelBasis | null
}

export interface ModelBasis {
  /** Of their chips, and the framework that they were under. */
  readonly generation: string
  readonly framework: string
  readonly rows: number
  readonly software: readonly string[]
  /** Median of measured over predicted time. */
  readonly median: number
}

/** For a deployment: ranges of its request rate, as measured for published ones. */
export interface ServeUncertainty {
  readonly requestsPerSecondRelative: Range
  readonly nineOfTenRequestsPerSecond: Range
  readonly basis: UncertaintyBasis
}

type Asked = Pick<Setting, 'model' | 'cluster' | 'assumptions' | 'residuals' | 'namesSoftware'> & {
  /** Of training, which alone has sequences of one length. */
  readonly workload?: { readonly sequenceLength?: number }
}

/** Null if no run is known, and for the book's assumptions, which were not compared with any. */
export function uncertaintyOf(
  setting: Asked,
  mode: ResidualMode,
  launches: Readonly<Record<string, unknown>>,
  seconds: Seconds,
): Uncertainty | null {
  const found = foundFor(setting, mode, launches)
  if (!found) return null
  const { nineOfTen, eightOfTen, basis } = found
  return {
    stepTimeRelative: eightOfTen,
    nineOfTenSeconds: [nineOfTen[0] * seconds, nineOfTen[1] * seconds],
    basis,
  }
}

/** A longer time is a lower rate, so that bounds are inverted and swapped. */
export function serveUncertaintyOf(
  setting: Asked,
  launches: Readonly<Record<string, unknown>>,
  requestsPerSecond: number,
): ServeUncertainty | null {
  const found = foundFor(setting, 'serve', launches)
  if (!found) return null
  const { nineOfTen, eightOfTen, basis } = found
  return {
    requestsPerSecondRelative: [1 / eightOfTen[1], 1 / eightOfTen[0]],
    nineOfTenRequestsPerSecond: [requestsPerSecond / nineOfTen[1], requestsPerSecond / nineOfTen[0]],
    basis,
  }
}

/** The wider of what overlap can do and where nine of ten runs lay, at either end. */
export function boundsOf(
  [allHidden, noneHidden]: Range,
  uncertainty: Uncertainty | null,
): { readonly lowerBoundSeconds: Seconds; readonly upperBoundSeconds: Seconds } {
  const [low, high] = uncertainty?.nineOfTenSeconds ?? [allHidden, noneHidden]
  return { lowerBoundSeconds: Math.min(allHidden, low), upperBoundSeconds: Math.max(noneHidden, high) }
}

function foundFor(
  { model, cluster, assumptions, residuals, namesSoftware = true, workload }: Asked,
  mode: ResidualMode,
  launches: Readonly<Record<string, unknown>>,
) {
  if (!residuals || assumptions.basis === 'book') return null
  const { regimes, models } = residuals
  const asked = {
    mode,
    generation: generationOf(residuals, cluster.chip),
    frameworks: launchersAmong(assumptions.frameworks, launches),
    named: namesSoftware,
  }
  const regime = regimeOf(regimes, { ...asked, kind: model.experts ? 'experts' : 'dense', era: 'modern' })
  if (!regime) return null
  const { rows, sources, software, quantiles, widened } = regime
  const band = bandOf(quantiles, widened)
  const sequenceLength = workload?.sequenceLength ?? null
  const own = modelRunsOf(models, { ...asked, model, sequenceLength })
  return {
    ...(own ? bandWith(band, quantiles.p50, own) : band),
    basis: {
      ...{ regime: said(regime), rows, sources, software, median: quantiles.p50, widened },
      model: own && modelBasis(own),
    },
  }
}

function modelBasis({ generation, framework, rows, software, median }: ModelRuns): ModelBasis {
  return { generation, framework, rows, software, median }
}

const measured: Readonly<Record<ResidualMode, string>> = {
  train: 'training',
  prefill: 'prefill',
  generate: 'generation',
  serve: 'throughput of serving',
}

function said({ mode, kind, era, generation, framework, named }: Regime): string {
  return compact(
    `${kind === null ? '' : kind === 'dense' ? 'dense ' : 'mixture-of-experts '}${measured[mode]}`,
    generation !== null && `on ${generation}`,
    framework !== null && `under ${framework}`,
    era === 'modern' && 'by releases since 2024',
    named === false && 'when no software was named',
  ).join(' ')
}
