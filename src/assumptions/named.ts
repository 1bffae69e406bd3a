/** A set of assumptions by its name, and the fields in which others differ from it. */

import type { Chip } from '../hardware/chip.ts'
import type { Assumptions } from './assumptions.ts'
import { book } from './book.ts'
import { calibrated } from './calibrated.ts'

export function namedAssumptions(basis: Assumptions['basis'], { kind, efficiency }: Chip): Assumptions {
  return basis === 'book' ? book : calibrated(kind, efficiency)
}

/** The fields that differ from those of their basis. */
export function overridesOf(assumptions: Assumptions, chip: Chip): Partial<Assumptions> {
  const named = new Map<string, unknown>(Object.entries(namedAssumptions(assumptions.basis, chip)))
  const differs = ([name, value]: [string, unknown]) => String(value) !== String(named.get(name))
  return Object.fromEntries(Object.entries(assumptions).filter(differs))
}
