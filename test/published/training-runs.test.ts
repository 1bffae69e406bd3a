import { describe, expect, it } from 'vitest'
import { groupedBy } from '../accuracy/compared.ts'
import { median, predicted, publishedRuns } from '../accuracy/training/run.ts'

/** One of each model, software and chip; `npm run accuracy` has all of them. */
const known = publishedRuns().filter(({ leftOut }) => leftOut === undefined)
const alike = groupedBy(known, ({ model, stack, chip, compute }) =>
  JSON.stringify([model, stack, chip, compute]),
)
const runs = [...alike.values()].flatMap(([first]) => first ?? [])
const chips = [...new Set(runs.map(({ chip }) => chip))]

describe('published training runs of dense models', () => {
  it('can nearly all be expressed as plans', () => {
    const expressed = runs.filter((run) => predicted(run) !== null)
    expect(runs.length).toBeGreaterThan(100)
    expect(expressed.length / runs.length).toBeGreaterThan(0.95)
  })

  it.each(
    chips,
  )('on %s are predicted within a factor of two, half of them, and not slower than they ran', (chip) => {
    const ratios = runs
      .filter((run) => run.chip === chip)
      .flatMap((run) => {
        const plan = predicted(run)
        return plan ? [plan.stepTimeSeconds / run.stepTimeSeconds] : []
      })
    expect(median(ratios)).toBeGreaterThan(0.5)
    expect(median(ratios)).toBeLessThan(1.1)
  })
})
