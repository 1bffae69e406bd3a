/** A prediction that measured runs of its regime lay to one side of: times are as predicted, and the one who reads them is told. */
import type { UncertaintyBasis } from './uncertainty.ts'

/** What the middle run may have taken, over what was predicted, before it is said. */
const centred = 1.15

/** `named` is what was timed: prefill, a step. */
export function offCentre(
  named: string,
  uncertainty: { readonly basis: UncertaintyBasis } | null,
): readonly string[] {
  if (!uncertainty) return []
  const { median, regime, rows } = uncertainty.basis
  if (Math.max(median, 1 / median) < centred) return []
  return [
    `${named} is timed as predicted, and runs that were published of its kind took ${Number(median.toPrecision(2))} times that in the middle (${regime}: ${rows} of them; uncertainty has the range)`,
  ]
}
