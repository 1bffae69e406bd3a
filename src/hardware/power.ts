/**
 * Clocks of a chip whose power is capped (`nvidia-smi -pl`): a processor that is held to a share s of what its board draws runs what fills
 * its matrix units at √s of its speed, as power goes with the clock and the square of a voltage that goes down with it, but
 * not to nothing. What waits for HBM or for networks keeps its pace: generation draws 137 to 300 of an H200's 700 W, and meets no
 * cap (arXiv 2605.11999).
 *
 * Prefill of six RTX 3090 (llmgarage.ai, power limit sweep of February 2026) ran at 0.94 at 0.86 of 350 W and at 0.85 at 0.71,
 * where √s is 0.93 and 0.85; at 0.57 it ran at 0.60, where voltages go no lower, and √s no longer holds.
 */
import type { Chip } from './chip.ts'

export type Powered = Pick<Chip, 'boardWatts' | 'powerCapWatts'>

/** The least share of a board's power for which clocks are known. */
export const leastPowerShare = 0.65

/** The share of their speed that matmuls and attention keep; 1 without a cap, and where a cap is no less than what the board draws. */
export function clockShare({ boardWatts, powerCapWatts }: Powered): number {
  if (boardWatts === undefined || powerCapWatts === undefined) return 1
  return Math.sqrt(Math.min(1, powerCapWatts / boardWatts))
}
