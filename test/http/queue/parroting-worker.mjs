/** A worker that finds an answer at once: so many times ten thousand letters as it is asked for plans. */
export const optimize = parrot
export const evaluate = parrot
export const validate = parrot
export const calibrate = parrot
export const collective = parrot

function parrot({ subject: { top = 1 }, flags }) {
  Atomics.store(flags, 1, 1)
  return {
    written: { start: new TextEncoder().encode(JSON.stringify('x'.repeat(10_000 * top - 2))), end: null },
  }
}
