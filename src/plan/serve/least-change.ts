/** The least change of a limit, or of a rate, with which a deployment exists. */
import type { Sized } from '../../modes/serve/sized.ts'
import { leastWithin } from '../../threshold.ts'

export interface Changed {
  readonly value: number
  readonly deployment: Sized
}

/** Raises a limit by up to a million times its value, to within 2 % of what is met; null if it is not the obstacle. Bisects, as all larger values are met too. */
export function loosened(limit: number, attempt: (limit: number) => Sized | null): Changed | null {
  if (!Number.isFinite(limit) || !attempt(Number.POSITIVE_INFINITY)) return null
  let [missed, met] = [0, mostSteps + 1]
  let found: Changed | null = null
  while (met - missed > 1) {
    const step = Math.floor((missed + met) / 2)
    const value = Number((limit * 1.25 ** step).toPrecision(3))
    const deployment = attempt(value)
    if (deployment) [met, found] = [step, { value, deployment }]
    else missed = step
  }
  return found && closer(limit * 1.25 ** missed, found, attempt)
}

/** The same to within a fiftieth: nothing is met at `missed`. */
function closer(missed: number, found: Changed, attempt: (limit: number) => Sized | null): Changed {
  let least = found
  const round = (value: number) => Number(value.toPrecision(3))
  leastWithin(0.02, [missed, found.value], round, (value) => {
    const deployment = attempt(value)
    if (deployment) least = { value, deployment }
    return deployment !== null
  })
  return least
}

/** 1.25 to this power is just above a million. */
const mostSteps = 62

/** The highest rate that is met, to within 1 %. */
export function lowered(rate: number | null, attempt: (rate: number) => Sized | null): Changed | null {
  if (rate === null) return null
  let [met, missed] = [0, rate]
  let found: Changed | null = null
  while (missed - met > met / 100 && missed > rate / 1000) {
    const value = Number(((met + missed) / 2).toPrecision(3))
    if (value === met || value === missed) break
    const deployment = attempt(value)
    if (deployment) [met, found] = [value, { value, deployment }]
    else missed = value
  }
  return found
}
