/** Chips whose power is capped. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import { clockShare } from '../../../src/hardware/power.ts'
import { catalogueChip } from '../../catalogue.ts'
import { law } from '../../law.ts'

const h100 = catalogueChip('h100-sxm', 'calibrated')
const watts = fc.double({ min: 1, max: 2000, noNaN: true })

describe('a power cap', () => {
  law(
    'never speeds a chip up, and takes no more from it than it is lower',
    200,
    [watts, watts],
    (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      const [slower, faster] = [low, high].map((powerCapWatts) =>
        clockShare({ boardWatts: 700, powerCapWatts }),
      )
      expect(slower).toBeLessThanOrEqual(faster ?? 0)
      expect((slower ?? 0) / (faster ?? 0)).toBeGreaterThanOrEqual((low / high) * (1 - 1e-12))
    },
  )

  it('that is no less than what a board draws changes nothing, and nor does one on a board of unknown power', () => {
    expect(clockShare({ boardWatts: 700, powerCapWatts: 700 })).toBe(1)
    expect(clockShare({ boardWatts: 700, powerCapWatts: 900 })).toBe(1)
    expect(clockShare({ powerCapWatts: 100 })).toBe(1)
  })

  it('slows down matmuls and attention, and no bytes', () => {
    const whole = computeRates(h100, 'fp8', book)
    const held = computeRates({ ...h100, powerCapWatts: 500 }, 'fp8', book)
    const share = Math.sqrt(500 / 700)
    for (const rate of ['secondsPerFlop', 'secondsPerAttentionFlop', 'secondsPerUpdateFlop'] as const)
      expect(whole[rate] / held[rate]).toBeCloseTo(share, 12)
    expect(held.secondsPerByte).toBe(whole.secondsPerByte)
  })

  it('is as prefill of six RTX 3090 ran under it, where the root is said to hold', () => {
    for (const [powerCapWatts, tokens] of [
      [300, 9326],
      [250, 8436],
    ] as const) {
      expect(clockShare({ boardWatts: 350, powerCapWatts }) / (tokens / 9893)).toBeGreaterThan(0.97)
      expect(clockShare({ boardWatts: 350, powerCapWatts }) / (tokens / 9893)).toBeLessThan(1.03)
    }
  })
})
