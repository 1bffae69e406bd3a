/** The ends of what was run, as recorded in fixtures/residuals.json. */
import { type Ran, type RanLimits, ranges } from '../../src/plan/certainty/measured-range.ts'

export function ranLimits(runs: readonly Ran[]): RanLimits {
  const ends = ranges.map(({ name, end, of }) => {
    const had = runs.flatMap((run) => of(run) ?? [])
    const limit = end === 'least' ? Math.min(...had) : Math.max(...had)
    return [name, had.length > 0 ? limit : null] as const
  })
  return Object.fromEntries(ends) as unknown as RanLimits
}
