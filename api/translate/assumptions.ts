/** From the assumptions of a request to all of them: those of their basis, of a stack where it names one, and its own. */

import type { Assumptions } from '../../src/assumptions.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import { namedAssumptions } from '../../src/named-assumptions.ts'
import { runsOn, type StackConstants } from '../../src/stack.ts'
import { type Catalogue, knownStack, nearestStacks } from '../catalogue.ts'
import { faultyValue, meaning } from '../problems.ts'
import type { AssumptionsRequest } from '../schemas/given/assumptions.ts'

export function basisOf(request: AssumptionsRequest): 'book' | 'calibrated' {
  return typeof request === 'string' ? request : request.basis
}

export function assumptionsOf(
  request: AssumptionsRequest,
  chip: Chip,
  catalogue: Pick<Catalogue, 'stacks'>,
): Assumptions {
  const named = namedAssumptions(basisOf(request), chip)
  if (typeof request === 'string') return named
  const { stack, ...own } = request
  if (stack === undefined) return { ...named, ...own }
  return { ...named, ...constantsOf(stack, request.basis, chip, catalogue), ...own }
}

const pointer = '/assumptions/stack'

function constantsOf(
  name: string,
  basis: 'book' | 'calibrated',
  chip: Chip,
  catalogue: Pick<Catalogue, 'stacks'>,
): StackConstants {
  const stack = knownStack(catalogue, name)
  if (!stack) {
    const suggestions = nearestStacks(catalogue, name)
    const hint = suggestions.length ? `; the nearest are ${suggestions.join(', ')}` : ''
    const detail = `no stack is named ${name}${hint}`
    throw faultyValue('unknown-name', { pointer, detail, suggestions, ...meaning(pointer, suggestions) })
  }
  if (basis === 'book') {
    const detail = 'the book knows no stacks: their constants are of calibrated assumptions'
    throw faultyValue('impossible-combination', { pointer, detail })
  }
  if (!runsOn(stack, chip)) {
    const others = [...catalogue.stacks.values()]
      .filter((other) => runsOn(other, chip))
      .map((own) => own.name)
    const hint = others.length ? `; ${others.join(', ')} is` : '; none is'
    const detail = `${stack.name} is not of ${chip.name}, but of ${stack.chips.join(', ')}${hint}`
    throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, others) })
  }
  return stack.constants
}
