/** Warns if measured runs like the predicted one were mostly slower, or mostly faster, than predicted. The predicted time is not corrected for it. */
import type { UncertaintyBasis } from './uncertainty.ts'

/** Factor by which the median run may miss its prediction without a warning. */
const centred = 1.15

/** `named` is what was timed, e.g. 'prefill' or 'a step'. */
export function offCentre(
  named: string,
  uncertainty: { readonly basis: UncertaintyBasis } | null,
): string | null {
  if (!uncertainty) return null
  const { median, regime, rows } = uncertainty.basis
  if (Math.max(median, 1 / median) < centred) return null
  return `published runs of this kind took ${Number(median.toPrecision(2))} times their predicted time in the median (${regime}: ${rows} runs; uncertainty has the range), and the time of ${named} is not corrected for that`
}
