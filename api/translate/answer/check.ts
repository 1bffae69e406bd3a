/** Checks in the words of the request, with only those changes that its schema allows. */
import type { Change } from '../../../src/rules/part-rule.ts'
import type { Check, Remedy } from '../../../src/validation/check.ts'
import { inReadRequest } from '../../../src/validation/read-request.ts'
import { changed } from '../../hints/change.ts'
import {
  type ValidateRequest,
  type ValidateServeRequest,
  validateRequest,
  validateServeRequest,
} from '../../schemas/validate.ts'
import { inWords } from './suggestion.ts'

type Validated = ValidateRequest | ValidateServeRequest

export function checksAsWritten(request: Validated, checks: readonly Check[]): readonly Check[] {
  return checks.map(({ nearest = [], ...check }) => {
    const told = nearest
      .map((remedy) => written(request, remedy))
      .filter(({ changes }) => fits(request, changes))
    return told.length > 0 ? { ...check, nearest: told } : check
  })
}

/** What changes of the request mean in its launch file. */
export type ToldInFile = (changes: readonly Change[]) => Pick<Remedy, 'inFile'>

/** A check of what a launch file was read into. */
export function checkedInRead({ nearest, ...check }: Check, told: ToldInFile | null): Check {
  if (!nearest) return check
  const remedies = nearest.map(({ detail, changes }) => ({
    ...{ detail, changes: changes.map(inReadRequest) },
    ...told?.(changes),
  }))
  return { ...check, nearest: remedies }
}

function written(request: Validated, { detail, changes }: Remedy): Remedy {
  return { detail, changes: changes.map((change) => inWords(request, change)) }
}

function fits(request: Validated, changes: Remedy['changes']): boolean {
  const schema = request.workload.mode === 'serve' ? validateServeRequest : validateRequest
  return schema.safeParse(changed(request, changes)).success
}
