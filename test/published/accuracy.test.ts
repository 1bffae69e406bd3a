import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Compared, configurations } from '../accuracy/compared.ts'
import { standings } from '../accuracy/goals.ts'
import { grownWorse } from '../accuracy/grown-worse.ts'
import { publishedInference } from '../accuracy/inference/row.ts'
import { page } from '../accuracy/page.ts'
import { kendallTau, regret } from '../accuracy/ranking.ts'
import type { Report } from '../accuracy/report.ts'
import { telling } from '../accuracy/residual-record.ts'
import { summaries } from '../accuracy/summary.ts'
import { type PublishedRun, publishedRows } from '../accuracy/training/run.ts'
import { law } from '../law.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const recorded: Report = JSON.parse(read('fixtures/accuracy.json'))
const files = ['dense-training', 'long-training', 'expert-training', 'training-memory'] as const
const training = files.flatMap((file) => publishedRows<PublishedRun>(file))

describe('the record of accuracy', () => {
  it('is what docs/accuracy.md shows', () => {
    expect(read('docs/accuracy.md')).toBe(page(recorded))
  })

  it('has every row that did not run out of memory once, compared or with the reason why not', () => {
    const timed = training.filter((row) => !('outOfMemory' in row))
    const leftOut = Object.values(recorded.leftOut).reduce((sum, rows) => sum + rows, 0)
    expect(recorded.compared + leftOut).toBe(timed.length + publishedInference().length)
    expect(new Set(training.map(({ id }) => id)).size).toBe(training.length)
  })

  it('has nine of ten runs of today within the bounds that answers give, of each class and of sources that were left out', () => {
    const today = (name: string) => name.startsWith('test training') && name.endsWith('modern')
    for (const classes of [recorded.classes, recorded.asAsked])
      for (const [name, { withinBounds }] of Object.entries(classes).filter(([own]) => today(own)))
        expect(withinBounds, name).toBeGreaterThanOrEqual(0.9)
    const bands = Object.entries(recorded.certainty).filter(
      ([name, { configurations }]) => name.endsWith('modern') && configurations >= telling,
    )
    expect(bands.length).toBeGreaterThan(4)
    for (const [name, { insideNineOfTen }] of bands) expect(insideNineOfTen, name).toBeGreaterThanOrEqual(0.9)
  })

  it('says of each goal that is not reached what is left, and of no other', () => {
    for (const { what, figures, left } of standings(recorded))
      expect(left === '', what).toBe(figures.every(({ met }) => met))
  })

  it('sets nothing on rows for testing: a configuration is on one side of the split', () => {
    const sides = new Map<string, Set<string>>()
    for (const { group, split } of training)
      if (group !== undefined) sides.set(group, (sides.get(group) ?? new Set()).add(split))
    expect([...sides].filter(([, splits]) => splits.size > 1)).toEqual([])
  })

  it('is no worse than itself; any class that errs more, or of which less is compared, is told', () => {
    expect(grownWorse(recorded, recorded)).toEqual([])
    for (const [name, own] of Object.entries(recorded.classes)) {
      const worse = (changed: Partial<typeof own>) =>
        grownWorse(
          { ...recorded, classes: { ...recorded.classes, [name]: { ...own, ...changed } } },
          recorded,
        )
      expect(worse({ medianError: own.medianError + 0.01 })).toHaveLength(1)
      expect(worse({ ninetiethError: own.ninetiethError + 0.01 })).toHaveLength(1)
      expect(worse({ measurements: own.measurements - 1 })).toHaveLength(1)
      expect(worse({ medianError: own.medianError / 2 })).toEqual([])
    }
    const { [Object.keys(recorded.classes)[0] ?? '']: _gone, ...others } = recorded.classes
    expect(grownWorse({ ...recorded, classes: others }, recorded).length).toBeGreaterThan(0)
  })
})

const pairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), {
  minLength: 2,
  maxLength: 8,
})

describe('the order of layouts', () => {
  law(
    'is 1 where both rise together, -1 where one falls, and knows no units',
    100,
    [fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 2, maxLength: 8 })],
    (times) => {
      expect(kendallTau(times.map((time) => [time, 3 * time]))).toBeCloseTo(1)
      expect(kendallTau(times.map((time) => [time, 1 / time]))).toBeCloseTo(-1)
      expect(regret(times.map((time) => [time, 3 * time]))).toBe(0)
    },
  )

  law('stays between -1 and 1, whichever comes first, and regret is never below 0', 100, [pairs], (all) => {
    const tau = kendallTau(all)
    expect(Math.abs(tau)).toBeLessThanOrEqual(1 + 1e-12)
    expect(kendallTau([...all].reverse())).toBeCloseTo(tau)
    expect(regret(all)).toBeGreaterThanOrEqual(0)
  })
})

describe('a summary', () => {
  const row = (id: string, measured: number, group = id): Compared => ({
    ...{
      id,
      phase: 'training',
      kind: 'dense',
      era: 'modern',
      stack: 's',
      release: 'r',
      chip: 'c',
      split: 'test',
    },
    ...{ group, question: 'q', layout: 'l', predicted: 1, measured, within: true },
  })

  it('counts a configuration once, however often it was measured', () => {
    const rows = [row('a', 1, 'one'), row('b', 4, 'one'), row('c', 2)]
    expect(configurations(rows).map(({ measured }) => measured)).toEqual([2, 2])
    const { 'test c': own } = summaries(rows, ({ chip }) => chip)
    expect(own).toMatchObject({
      configurations: 2,
      measurements: 3,
      median: 0.5,
      bias: -0.5,
      medianError: 0.5,
    })
    expect(
      summaries(
        rows,
        () => '',
        ({ id }) => id,
      )['test ']?.configurations,
    ).toBe(3)
  })
})
