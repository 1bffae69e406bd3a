/**
 * A fixed piece of work like that of a search: floating point, and look-ups by short strings. Searches are reported as
 * multiples of it, measured beside them, so that machines and times of day can be compared.
 */
import { cpuMilliseconds } from './stopwatch.ts'

export function kernelMilliseconds(): number {
  const once = () => cpuMilliseconds(kernel)
  for (let turn = 0; turn < 3; turn++) once()
  return Math.min(once(), once(), once())
}

function kernel(): number {
  const sums = new Map<string, number>()
  let value = 1
  for (let turn = 0; turn < 300_000; turn++) {
    value = (value * 1.0000001 + (turn % 7)) % 1e6
    const key = `${turn % 500} ${turn % 30}`
    sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return value + sums.size
}
