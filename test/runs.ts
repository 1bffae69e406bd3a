/**
 * Number of random problems that a law is tested on: a few in normal runs, many times as many in a long one (`npm run
 * test:long`), which is for the night.
 */
const times = Number(process.env.LONG ?? '0') || 1

export function runs(few: number): number {
  return few * times
}
