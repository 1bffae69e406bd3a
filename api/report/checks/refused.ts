/** A request that is refused, as failed checks: one for each fault. */
import type { Check } from '../../../src/validation/check.ts'
import type { ProblemError } from '../../problems.ts'

export function refusedChecks({ slug, message, faults }: ProblemError): readonly Check[] {
  const told = faults.length > 0 ? faults : [{ pointer: '', detail: message }]
  return told.map(({ pointer, detail, correction }) => ({
    name: 'request',
    ok: false,
    pointer,
    expected: 'an answer',
    actual: slug,
    message: `${pointer ? `${pointer} ` : ''}${detail}`,
    ...(correction ? { nearest: [{ detail: 'as it may be meant', changes: correction }] } : {}),
  }))
}
