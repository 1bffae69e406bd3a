/**
 * Warns if measured runs like the predicted one were mostly slower, or mostly faster, than predicted: those of the very model where they
 * were far off, else those of the regime. The predicted time is not corrected for it.
 */
import { counted } from '../explain/figures.ts'
import type { UncertaintyBasis } from './uncertainty.ts'

/** Factor by which the median run may miss its prediction without a warning. */
const centred = 1.15

/** `named` is what was timed, e.g. 'prefill' or 'a step'. */
export function offCentre(
  named: string,
  uncertainty: { readonly basis: UncertaintyBasis } | null,
): string | null {
  if (!uncertainty) return null
  const { median, regime, rows, model } = uncertainty.basis
  const kept = `the time of ${named} is not corrected for that`
  if (model) {
    const { generation, framework, software } = model
    return `published runs of this model on ${generation} under ${framework} took ${times(model.median)} their predicted time in the median (${counted(model.rows, 'configuration')}: ${software.join(', ')}; uncertainty reaches as far), and ${kept}`
  }
  if (Math.max(median, 1 / median) < centred) return null
  return `published runs of this kind took ${times(median)} their predicted time in the median (${regime}: ${rows} runs; uncertainty has the range), and ${kept}`
}

function times(median: number): string {
  return `${Number(median.toPrecision(2))} times`
}
