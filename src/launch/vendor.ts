/** Whose GPU it is, by the names of the catalogue, where a framework has software of one maker alone. */
import type { Chip } from '../hardware/chip.ts'

export function isAmd({ name }: Pick<Chip, 'name'>): boolean {
  return /^mi\d/i.test(name)
}

/** Of Transformer Engine, on Hopper and later. */
export function hasUserBuffers(chip: Pick<Chip, 'name' | 'peakFlopsPerSecond'>): boolean {
  return !isAmd(chip) && chip.peakFlopsPerSecond.fp8 !== undefined
}
