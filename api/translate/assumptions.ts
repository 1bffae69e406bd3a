/** From the assumptions of a request to all of them. */

import type { Assumptions } from '../../src/assumptions.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import { namedAssumptions } from '../../src/named-assumptions.ts'
import type { AssumptionsRequest } from '../schemas/assumptions.ts'

export function basisOf(request: AssumptionsRequest): 'book' | 'calibrated' {
  return typeof request === 'string' ? request : request.basis
}

export function assumptionsOf(request: AssumptionsRequest, chip: Chip): Assumptions {
  const named = namedAssumptions(basisOf(request), chip)
  return typeof request === 'string' ? named : { ...named, ...request }
}
