/** The power cap of a request: what cannot be answered is refused, and what is assumed of the rest is said. */
import type { Chip } from '../../src/hardware/chip.ts'
import { clockShare, leastPowerShare } from '../../src/hardware/power.ts'
import { percent } from '../../src/plan/explain/figures.ts'
import { faultyValue, meaning } from '../problems.ts'

/** Refuses a cap on a chip whose power nobody says, and one so low that nothing measured says what clocks it leaves. */
export function refuseCap({ name, boardWatts, powerCapWatts }: Chip, pointer: string): void {
  if (powerCapWatts === undefined) return
  if (boardWatts === undefined) {
    const detail = `a cap is a share of what a board draws, and nothing says what that is of ${name}: hardware.boardWatts may`
    throw faultyValue('impossible-combination', { pointer, detail })
  }
  const least = Math.ceil(leastPowerShare * boardWatts)
  if (powerCapWatts >= least) return
  const detail = `nothing measured says what clocks a cap below ${least} W leaves to ${name}, whose board draws ${boardWatts} W`
  throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, [least]) })
}

export function capWarning(chip: Chip): string | null {
  const { name, boardWatts, powerCapWatts } = chip
  const clocks = clockShare(chip)
  if (clocks === 1) return null
  return `${name} is held to ${powerCapWatts} W of ${boardWatts}: matmuls and attention are taken at ${percent(clocks)} of their speed, the root of that share; what waits for HBM, networks or hosts keeps its pace`
}
