/**
 * Wall time of repeated runs. The median is the result, the range says how much to trust it: on a machine that does
 * other work the slowest run says little about the code.
 */
import { performance } from 'node:perf_hooks'

export interface Times {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function milliseconds(run: () => unknown): number {
  const start = performance.now()
  run()
  return performance.now() - start
}

/** Of all threads of this process: hardly longer where others use the machine too. */
export function cpuMilliseconds(run: () => unknown): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export function repeated(times: number, run: () => unknown, clock = milliseconds): Times {
  return summed(Array.from({ length: times }, () => clock(run)))
}

export function summed(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const half = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  }
}
