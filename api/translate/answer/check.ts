/** Checks in the words of the request, with those changes only that its schema has room for. */
import type { Check, Remedy } from '../../../src/validation/check.ts'
import { changed } from '../../hints/change.ts'
import { type ValidateRequest, validateRequest } from '../../schemas/validate.ts'
import { inWords } from './suggestion.ts'

export function checksAsWritten(request: ValidateRequest, checks: readonly Check[]): readonly Check[] {
  return checks.map(({ nearest = [], ...check }) => {
    const told = nearest
      .map((remedy) => written(request, remedy))
      .filter(({ changes }) => fits(request, changes))
    return told.length > 0 ? { ...check, nearest: told } : check
  })
}

function written(request: ValidateRequest, { detail, changes }: Remedy): Remedy {
  return { detail, changes: changes.map((change) => inWords(request, change)) }
}

function fits(request: ValidateRequest, changes: Remedy['changes']): boolean {
  return validateRequest.safeParse(changed(request, changes)).success
}
