/** Whose GPU it is, by the names of the catalogue, where a framework has software of one maker alone. */
import type { Chip } from '../hardware/chip.ts'

export function isAmd({ name }: Chip): boolean {
  return /^mi\d/i.test(name)
}
