/**
 * A fixed piece of work of the kind that a search is made of, floating point and look-ups by short texts: searches are told as multiples of it,
 * measured beside them, so that machines and hours can be compared.
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
