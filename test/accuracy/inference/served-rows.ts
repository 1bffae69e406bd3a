/** The published rows that the constants of an inference stack may be fitted to: timed, marked `fit`, of its software, on its chips. */
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { StackRecord } from '../../../src/assumptions/stack.ts'
import type { Seconds } from '../../../src/units.ts'
import { softwareOf } from '../software.ts'
import { fittedBy } from '../stack-of.ts'
import { type InferenceRow, publishedInference } from './row.ts'
import { predictedInference } from './run.ts'

export interface ServedRow {
  readonly row: InferenceRow
  readonly measured: Seconds
}

export function servedRows(stack: StackRecord): readonly ServedRow[] {
  return publishedInference().flatMap((row) => {
    const measured = secondsOf(row)
    if (measured === null || row.split !== 'fit' || row.leftOut !== undefined) return []
    return fittedBy(stack, softwareOf(row)) ? [{ row, measured }] : []
  })
}

/** |log| of predicted over measured, with the stack's constants. */
export function servedErrors(rows: readonly ServedRow[], constants: Partial<Assumptions>): readonly number[] {
  return rows.flatMap(({ row, measured }) => {
    const found = predictedInference(row, constants)
    return found.status === 'compared' ? [Math.abs(Math.log(found.predicted / measured))] : []
  })
}

/** Of what was timed; rates have none. */
function secondsOf({ measured }: InferenceRow): Seconds | null {
  if ('latencySeconds' in measured) return measured.latencySeconds
  return 'secondsPerToken' in measured ? measured.secondsPerToken : null
}
