/**
 * Runs of one model that lay far from their predictions. A regime pools models, and what is not modelled of one of them (kernels of its
 * widths, say) is off in every run of it: so where the runs of the very model, on chips of the same generation and under the same
 * framework, were off by a quarter or more in the middle, that is told, and the band reaches as far beyond their median as the
 * regime's does beyond its own. Prediction and band stay as they are at the other end: a few runs may widen what many say, not
 * narrow it. For that reason rows that constants were fitted to count here too: what is left of them after a fit can
 * only be too little.
 */
import type { Transformer } from '../../model/transformer.ts'
import { shapeOf } from './recipes.ts'
import type { Band, Circumstances, ModelRuns } from './residuals.ts'

/** From this factor on, either way, the median of a model's runs is far from their predictions: about what nine of ten runs of mixtures are within. */
export const farOff = 1.25

export function isFarOff(median: number): boolean {
  return Math.max(median, 1 / median) >= farOff
}

type Asked = Pick<Circumstances, 'mode' | 'generation' | 'frameworks' | 'named'> & {
  readonly model: Transformer
  /** Of training. */
  readonly sequenceLength: number | null
}

/** Runs of other lengths say nothing of a plan: what takes the time is another part of the step. */
export function octaveOf(sequenceLength: number): number {
  return Math.round(Math.log2(sequenceLength))
}

/** Of several frameworks that with the most runs, as for regimes; null where the model's runs are near their predictions, or there are none. */
export function modelRunsOf(
  models: readonly ModelRuns[],
  { model, mode, generation, frameworks, named, sequenceLength }: Asked,
): ModelRuns | null {
  const shape = shapeOf(model)
  return models
    .filter(
      (one) =>
        one.mode === mode &&
        one.shape === shape &&
        one.generation === generation &&
        frameworks.includes(one.framework) &&
        (one.octave === null || sequenceLength === null || one.octave === octaveOf(sequenceLength)) &&
        (one.named ?? named) === named,
    )
    .reduce<ModelRuns | null>((most, one) => (most && most.rows >= one.rows ? most : one), null)
}

/** Widened so far that it lies about the median of the model's runs as it lies about that of the regime's. */
export function bandWith({ nineOfTen, eightOfTen }: Band, regimeMedian: number, { median }: ModelRuns): Band {
  const moved = median / regimeMedian
  const wider = ([low, high]: Band['nineOfTen']) =>
    [Math.min(low, low * moved), Math.max(high, high * moved)] as const
  return { nineOfTen: wider(nineOfTen), eightOfTen: wider(eightOfTen) }
}
