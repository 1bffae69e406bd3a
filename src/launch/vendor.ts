/** Whether a GPU is AMD's, by its catalogue name, for software that exists for one vendor only. */
import type { Chip } from '../hardware/chip.ts'

export function isAmd({ name }: Pick<Chip, 'name'>): boolean {
  return /^mi\d/i.test(name)
}

/** Whether Transformer Engine has user buffers on the chip: on NVIDIA's GPUs since Hopper. */
export function hasUserBuffers(chip: Pick<Chip, 'name' | 'peakFlopsPerSecond'>): boolean {
  return !isAmd(chip) && chip.peakFlopsPerSecond.fp8 !== undefined
}
