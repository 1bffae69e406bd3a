/**
 * Laws: what holds for all problems of a kind, tried on random ones, of which there are `few` in normal runs (runs.ts).
 * fast-check makes a problem on which one fails smaller before it shows it.
 */
import fc from 'fast-check'
import { it } from 'vitest'
import { runs } from './runs.ts'

type Kinds<Problem extends [unknown, ...unknown[]]> = {
  readonly [Part in keyof Problem]: fc.Arbitrary<Problem[Part]>
}

type Holds<Problem extends [unknown, ...unknown[]]> = (...problem: Problem) => void

/** A test that is one law. */
export function law<Problem extends [unknown, ...unknown[]]>(
  name: string,
  few: number,
  problems: Kinds<Problem>,
  holds: Holds<Problem>,
): void {
  it(name, () => forAll(few, problems, holds))
}

/** A law within a test. */
export function forAll<Problem extends [unknown, ...unknown[]]>(
  few: number,
  problems: Kinds<Problem>,
  holds: Holds<Problem>,
): void {
  fc.assert(fc.property<Problem>(...problems, holds), { numRuns: runs(few) })
}

/** Whole numbers from `min` to `max`. */
export function whole(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max })
}
