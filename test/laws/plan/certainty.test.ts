import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import {
  bandOf,
  type Circumstances,
  type Quantiles,
  type Regime,
  regimeOf,
} from '../../../src/plan/certainty/residuals.ts'
import { boundsOf, uncertaintyOf } from '../../../src/plan/certainty/uncertainty.ts'
import { unmeasuredText } from '../../../src/plan/certainty/unmeasured.ts'
import { certainty, enough, type Residual, residualRecord, telling } from '../../accuracy/residual-record.ts'
import { generations } from '../../accuracy/software.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'

const quantiles = fc
  .uniqueArray(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 5, maxLength: 5 })
  .map((values): Quantiles => {
    const [p05 = 1, p10 = 1, p50 = 1, p90 = 1, p95 = 1] = [...values].sort((a, b) => a - b)
    return { p05, p10, p50, p90, p95 }
  })
const power = fc.double({ min: 1, max: 4, noNaN: true })

describe('a band', () => {
  law(
    'is the quantiles where it is drawn no further apart, and holds the inner one and the median always',
    100,
    [quantiles, power, power],
    (own, nineOfTen, eightOfTen) => {
      const { p05, p10, p50, p90, p95 } = own
      const asTheyAre = bandOf(own, { nineOfTen: 1, eightOfTen: 1 })
      expect([...asTheyAre.nineOfTen, ...asTheyAre.eightOfTen].map((value) => value.toFixed(9))).toEqual(
        [p05, p95, p10, p90].map((value) => value.toFixed(9)),
      )
      const band = bandOf(own, { nineOfTen, eightOfTen })
      const ordered = [band.nineOfTen[0], band.eightOfTen[0], p50, band.eightOfTen[1], band.nineOfTen[1]]
      expect([...ordered].sort((a, b) => a - b)).toEqual(ordered)
      expect(band.nineOfTen[0]).toBeLessThanOrEqual(p05 * (1 + 1e-9))
      expect(band.nineOfTen[1]).toBeGreaterThanOrEqual(p95 * (1 - 1e-9))
    },
  )
})

const circumstances: fc.Arbitrary<Circumstances> = fc.record({
  mode: fc.constantFrom('train', 'generate'),
  kind: fc.constantFrom('dense', 'experts'),
  era: fc.constantFrom('modern', 'older'),
  generation: fc.constantFrom('hopper', 'tpu-v5', null),
  frameworks: fc.subarray(['megatron', 'maxtext']),
  named: fc.boolean(),
})

const residual: fc.Arbitrary<Residual> = fc
  .record({
    source: fc.constantFrom('a', 'b', 'c', 'd'),
    release: fc.constantFrom('1', '2'),
    noise: fc.double({ min: 0.8, max: 1.25, noNaN: true }),
    asked: circumstances,
  })
  .map(({ asked, noise, source, release }) => ({
    ...{ ...asked, source, release, software: 'software' },
    ratio: noise * (source === 'a' ? 1.3 : 1),
  }))

describe('the residuals that are recorded', () => {
  law(
    'lie as often in the bands of other sources as an answer says',
    10,
    [fc.array(residual, { minLength: 80, maxLength: 120 }), circumstances],
    (drawn, { mode, kind, named }) => {
      const all = drawn.map((one) => ({ ...one, mode, kind, named }))
      const record = residualRecord(all, [])
      const modern = all.filter(({ era }) => era === 'modern')
      const classes = Object.entries(certainty(all, record))
      const judged = classes.filter(([name]) => name.endsWith('modern') && modern.length >= telling)
      expect(judged.length).toBe(modern.length >= telling ? 1 : 0)
      for (const [, { insideNineOfTen, insideEightOfTen }] of judged) {
        expect(insideNineOfTen).toBeGreaterThanOrEqual(0.9)
        expect(insideEightOfTen).toBeGreaterThanOrEqual(0.8)
      }
    },
  )

  it('take the releases of a source for sources where the others have too few runs for a regime', () => {
    const runsOf = fc.array(residual, { minLength: 40, maxLength: 60 })
    forAll(10, [runsOf, fc.integer({ min: 0, max: enough - 1 })], (all, others) => {
      const large = all.map((one, at) => ({
        ...one,
        ...{ mode: 'train' as const, kind: 'dense' as const },
        source: at < others ? 'b' : 'a',
      }))
      const apart = large.map((one) => (one.source === 'a' ? { ...one, source: `a ${one.release}` } : one))
      const record = residualRecord(large, [])
      const figures = (own: readonly Residual[]) =>
        Object.entries(certainty(own, record)).map(([name, { sources: _, ...rest }]) => [name, rest])
      expect(figures(apart)).toEqual(figures(large))
    })
  })

  law(
    'answer for whatever is asked of a mode that was measured, from what it has in common with the question',
    30,
    [fc.array(residual, { minLength: 40, maxLength: 80 }), circumstances],
    (all, asked) => {
      const { regimes } = residualRecord(all, [])
      const regime = regimeOf(regimes, { ...asked, era: 'modern' })
      const alike = all.filter(({ mode }) => mode === asked.mode)
      const apart = alike.some(({ named }) => !named)
      expect(regime === null).toBe(alike.every(({ named }) => apart && named !== asked.named))
      if (!regime) return
      expect([null, asked.kind]).toContain(regime.kind)
      expect([null, 'modern']).toContain(regime.era)
      expect([null, asked.generation]).toContain(regime.generation)
      expect([null, ...asked.frameworks]).toContain(regime.framework)
      expect(regime.rows >= enough || regime.kind === null).toBe(true)
      const narrower = (other: Regime) => fixed(other) > fixed(regime) && other.mode === asked.mode
      const others = regimes
        .filter(narrower)
        .filter((other) => regimeOf([other], { ...asked, era: 'modern' }))
      expect(others).toEqual([])
    },
  )
})

function fixed({ kind, era, generation, framework }: Regime): number {
  return [kind, era, generation, framework].filter((value) => value !== null).length
}

describe('the uncertainty of a plan', () => {
  const { residuals, chips } = loadCatalogue()
  const plain = problem({
    ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 8192 },
  })
  const asked = { ...plain, residuals }

  it('is of the time that is predicted, and of runs under what launches it', () => {
    const under = (launches: Readonly<Record<string, unknown>>) => uncertaintyOf(asked, 'train', launches, 2)
    const unsupported = { megatron: { unsupported: ['no'] }, maxtext: { unsupported: ['no'] } }
    expect(under({ megatron: [], maxtext: {} })?.basis.regime).toContain('under')
    expect(under(unsupported)?.basis.regime).not.toContain('under')
    const [once, twice] = [under({}), uncertaintyOf(asked, 'train', {}, 4)]
    expect(twice?.nineOfTenSeconds).toEqual(once?.nineOfTenSeconds.map((seconds) => 2 * seconds))
    expect(twice?.stepTimeRelative).toEqual(once?.stepTimeRelative)
  })

  it('lies within the bounds of its plan, which hold what overlap can do as well', () => {
    const time = fc.double({ min: 0.1, max: 10, noNaN: true })
    forAll(100, [time, time, time, fc.boolean()], (predicted, least, more, namesSoftware) => {
      const overlap = [least, least + more] as const
      const uncertainty = uncertaintyOf({ ...asked, namesSoftware }, 'train', {}, predicted)
      const { lowerBoundSeconds, upperBoundSeconds } = boundsOf(overlap, uncertainty)
      const ends = [...overlap, ...(uncertainty?.nineOfTenSeconds ?? [])]
      expect([lowerBoundSeconds, upperBoundSeconds]).toEqual([Math.min(...ends), Math.max(...ends)])
      expect(boundsOf(overlap, null)).toEqual({
        lowerBoundSeconds: overlap[0],
        upperBoundSeconds: overlap[1],
      })
    })
  })

  it('is of runs that were costed as the plan is: as their own software runs, or as nobody says which', () => {
    const mixture = {
      ...asked,
      ...problem({
        ...{ model: 'mixtral-8x7b', chip: 'h100-sxm', chips: 64 },
        batchTokens: 65_536,
        sequenceLength: 4096,
      }),
    }
    const told = { ...mixture, residuals }
    const [own, unnamed] = [true, false].map((namesSoftware) =>
      uncertaintyOf({ ...told, namesSoftware }, 'train', {}, 1),
    )
    expect(own?.basis.regime).not.toContain('named')
    expect(unnamed?.basis.regime).toContain('when no software was named')
    expect(unnamed?.nineOfTenSeconds).not.toEqual(own?.nineOfTenSeconds)
  })

  it('is not told of the book, and of chips that nobody measured is that of others', () => {
    const book = { ...asked, assumptions: { ...asked.assumptions, basis: 'book' as const } }
    expect(uncertaintyOf(book, 'train', {}, 1)).toBeNull()
    expect(uncertaintyOf(plain, 'train', {}, 1)).toBeNull()
    const { cluster } = asked
    const unknown = { ...asked, cluster: { ...cluster, chip: { ...cluster.chip, name: 'of my own' } } }
    expect(uncertaintyOf(unknown, 'train', {}, 1)?.basis.regime).not.toContain(' on ')
  })

  it('has a warning beside it where no published run was on such a chip', () => {
    const on = (own: Partial<Chip>) =>
      unmeasuredText({ ...asked, cluster: { ...asked.cluster, chip: { ...asked.cluster.chip, ...own } } })
    expect(on({})).toBeNull()
    expect(on({ name: 'of my own', kin: 'h100-sxm' })).toBeNull()
    for (const own of [{ name: 'vr200-nvl72' }, { name: 'mi355x' }, { name: 'of my own', kin: null }])
      expect(on(own)).toContain(`no published run on ${own.name} was at hand`)
    expect(
      unmeasuredText({
        ...asked,
        cluster: { ...asked.cluster, chip: { ...asked.cluster.chip, kin: null } },
        assumptions: { ...asked.assumptions, basis: 'book' },
      }),
    ).toBeNull()
  })

  it('knows generations of chips that there are, each once', () => {
    const named = Object.values(generations).flat()
    expect(new Set(named).size).toBe(named.length)
    expect(named.filter((name) => !chips.has(name))).toEqual([])
  })
})
