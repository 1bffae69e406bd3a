/** The body of a request, validated as what its task is asked. */
import type { Asked, Task } from '../queue/search.ts'
import { collectiveRequest } from '../schemas/collective.ts'
import { compareRequest } from '../schemas/compare.ts'
import { optimizeRequest } from '../schemas/optimize.ts'
import { calibrateAsked } from './measured-runs.ts'
import { validated } from './request-validation.ts'
import { comparisonOf } from './variants.ts'
import { evaluateAsked, validateAsked } from './written-plan.ts'

export const asked: { readonly [Name in Task]: (body: unknown) => Asked[Name] } = {
  optimize: (body) => validated(optimizeRequest, body),
  evaluate: evaluateAsked,
  validate: validateAsked,
  calibrate: calibrateAsked,
  compare: (body) => comparisonOf(validated(compareRequest, body)),
  collective: (body) => validated(collectiveRequest, body),
}
