/** A set of assumptions by its name. */
import type { Chip } from '../hardware/chip.ts'
import type { Assumptions } from './assumptions.ts'
import { book } from './book.ts'
import { calibrated } from './calibrated.ts'

export function namedAssumptions(basis: Assumptions['basis'], { kind, efficiency }: Chip): Assumptions {
  return basis === 'book' ? book : calibrated(kind, efficiency)
}
