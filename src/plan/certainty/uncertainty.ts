/**
 * How sure a predicted time is: where measured runs of its regime lay. Two bounds of a plan say what its communication may hide,
 * everything or nothing, with all else as predicted; this says what was measured, whatever it was that the prediction missed.
 */
import { launchersAmong } from '../../launch/launch.ts'
import type { Setting } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { bandOf, type Regime, type ResidualMode, regimeOf, type Widening } from './residuals.ts'

type Range = readonly [low: number, high: number]

export interface Uncertainty {
  /** Of the predicted step: one measured run of ten was faster than the first, one of ten slower than the second. */
  readonly stepTimeRelative: Range
  /** Seconds that nine of ten lay between. */
  readonly nineOfTenSeconds: Range
  readonly basis: UncertaintyBasis
}

/** The runs that say so. */
export interface UncertaintyBasis {
  readonly regime: string
  /** Configurations that were measured, and places they were published at. */
  readonly rows: number
  readonly sources: number
  readonly software: readonly string[]
  /** What the middle one of them took, over what was predicted: the bands are not centred on the prediction. */
  readonly median: number
  /** By what powers the bands are wider than those runs: so much that they hold of sources that they were not made of. */
  readonly widened: Widening
}

/** Of a deployment: chip-seconds of a request, and requests a second, against what published rates were. */
export interface ServeUncertainty {
  readonly requestsPerSecondRelative: Range
  readonly nineOfTenRequestsPerSecond: Range
  readonly basis: UncertaintyBasis
}

type Asked = Pick<Setting, 'model' | 'cluster' | 'assumptions' | 'residuals'>

/** Null where no run is known, and of the book's arithmetic, which no run was compared with. */
export function uncertaintyOf(
  setting: Asked,
  mode: ResidualMode,
  launches: Readonly<Record<string, unknown>>,
  seconds: Seconds,
): Uncertainty | null {
  const found = foundFor(setting, mode, launches)
  if (!found) return null
  const { nineOfTen, eightOfTen } = found.band
  return {
    stepTimeRelative: eightOfTen,
    nineOfTenSeconds: [nineOfTen[0] * seconds, nineOfTen[1] * seconds],
    basis: found.basis,
  }
}

/** A time that is longer is a rate that is lower. */
export function serveUncertaintyOf(
  setting: Asked,
  launches: Readonly<Record<string, unknown>>,
  requestsPerSecond: number,
): ServeUncertainty | null {
  const found = foundFor(setting, 'serve', launches)
  if (!found) return null
  const { nineOfTen, eightOfTen } = found.band
  return {
    requestsPerSecondRelative: [1 / eightOfTen[1], 1 / eightOfTen[0]],
    nineOfTenRequestsPerSecond: [requestsPerSecond / nineOfTen[1], requestsPerSecond / nineOfTen[0]],
    basis: found.basis,
  }
}

function foundFor(
  { model, cluster, assumptions, residuals }: Asked,
  mode: ResidualMode,
  launches: Readonly<Record<string, unknown>>,
) {
  if (!residuals || assumptions.basis === 'book') return null
  const { regimes, generations, widened } = residuals
  const generation = Object.entries(generations).find(([, chips]) => chips.includes(cluster.chip.name))?.[0]
  const regime = regimeOf(regimes, {
    mode,
    kind: model.experts ? 'experts' : 'dense',
    era: 'modern',
    generation: generation ?? null,
    frameworks: launchersAmong(assumptions.frameworks, launches),
  })
  if (!regime) return null
  const { rows, sources, software, quantiles } = regime
  const own = widened[mode]
  return {
    band: bandOf(quantiles, own),
    basis: {
      ...{ regime: said(regime), rows, sources, software },
      ...{ median: quantiles.p50, widened: own },
    },
  }
}

const measured: Readonly<Record<ResidualMode, string>> = {
  train: 'training',
  prefill: 'prefill',
  generate: 'generation',
  serve: 'throughput of serving',
}

function said({ mode, kind, era, generation, framework }: Regime): string {
  return [
    `${kind === null ? '' : kind === 'dense' ? 'dense ' : 'mixture-of-experts '}${measured[mode]}`,
    ...(generation === null ? [] : [`on ${generation}`]),
    ...(framework === null ? [] : [`under ${framework}`]),
    ...(era === 'modern' ? ['by releases since 2024'] : []),
  ].join(' ')
}
