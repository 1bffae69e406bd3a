/**
 * How many random problems a law is tried on: a few, well chosen, in every run of the tests, and many times as many in a long one
 * (`npm run test:long`), which is for the night.
 */
const times = Number(process.env.LONG ?? '0') || 1

export function runs(few: number): number {
  return few * times
}
