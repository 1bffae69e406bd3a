/** Training with windows: how much less they cost than full attention, and that long ones cost the same. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { attendedShare } from '../../../src/model/flops.ts'
import { fullAttention } from '../../../src/model/transformer.ts'
import type { Problem } from '../../../src/problem.ts'
import { enumeration, type Priced } from '../../agree/training/enumeration.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { oddDense } from '../../small-model.ts'
import { windowedModels } from './models.ts'

const sequenceLength = 4096

const model: Architecture = { ...oddDense, layers: 6, heads: 8 }

const clusters: readonly Pick<ProblemOptions, 'chip' | 'chips' | 'topology'>[] = [
  { chip: 'tpu-v5e', topology: [2, 2] },
  { chip: 'h100-sxm', chips: 8 },
]

function plans(
  on: Pick<ProblemOptions, 'chip' | 'chips' | 'topology'>,
  attentionFlops: Problem['assumptions']['attentionFlops'],
  window: number | null,
  globalEvery = 0,
  constraints: Problem['constraints'] = {},
): readonly Priced[] {
  const found: Priced[] = []
  const made = problem({
    ...on,
    model: { ...model, attention: { ...fullAttention, window, globalEvery } },
    batchTokens: 8 * sequenceLength,
    sequenceLength,
    assumptions: { basis: 'calibrated', attentionFlops },
    rematerialization: ['none', 'full'],
    constraints,
  })
  enumeration(costModel(made), { plan: (plan) => found.push(plan) })
  expect(found.length).toBeGreaterThan(100)
  return found
}

describe('a window', () => {
  it.each(clusters)('that holds the sequence costs what full attention costs, in every plan on %j', (on) => {
    for (const attentionFlops of ['causal', 'full', 'none'] as const) {
      const full = plans(on, attentionFlops, null)
      for (const [window, globalEvery] of [
        [sequenceLength, 0],
        [1 << 20, 3],
      ] as const) {
        const local = plans(on, attentionFlops, window, globalEvery)
        expect(local.map(({ times }) => times)).toEqual(full.map(({ times }) => times))
        expect(local.map(({ memory }) => memory)).toEqual(full.map(({ memory }) => memory))
      }
    }
  })

  it.each(clusters)('that is shorter makes no plan slower and the best one faster, on %j', (on) => {
    const lengths = [sequenceLength, 2048, 512, 64]
    // Stages are balanced by the time of their layers: these are all on one.
    const times = lengths.map((window) =>
      plans(on, 'causal', window, 0, { pipeline: 1 }).map((plan) => plan.times.expected),
    )
    times.slice(1).forEach((shorter, at) => {
      const longer = times[at] ?? []
      expect(shorter.filter((time, plan) => time > (longer[plan] ?? 0) * (1 + 1e-12))).toEqual([])
      expect(Math.min(...shorter)).toBeLessThan(Math.min(...longer))
    })
  })

  it('takes as much off a step as there are local layers', () => {
    const [on] = clusters
    if (!on) throw new Error('There is a cluster')
    const upper = (window: number | null, globalEvery: number) =>
      plans(on, 'full', window, globalEvery, { pipeline: 1 }).map(({ times }) => times.upper)
    const [none, third, all] = [upper(null, 1), upper(2048, 3), upper(2048, 0)]
    none.forEach((full, at) => {
      const [some = 0, every = 0] = [third[at], all[at]]
      expect(some).toBeCloseTo(full - (2 / 3) * (full - every), 12)
    })
  })
})

describe('the share of the keys that is attended to', () => {
  law(
    'is between that of the window alone and that of all positions',
    100,
    [windowedModels, fc.integer({ min: 1, max: 1 << 17 })],
    (windowed, length) => {
      const { attention } = windowed
      const share = (globalEvery: number) =>
        attendedShare({ ...windowed, attention: { ...attention, globalEvery } }, length, 'causal').met
      const own = attendedShare(windowed, length, 'causal').met
      expect(own).toBeGreaterThanOrEqual(share(0) * (1 - 1e-12))
      expect(own).toBeLessThanOrEqual(share(1) * (1 + 1e-12))
      expect(share(1)).toBeCloseTo(1 / 2, 12)
    },
  )

  it('is what a mask counts', () => {
    const counted = (length: number, window: number) => {
      let met = 0
      for (let query = 0; query < length; query++) met += Math.min(query + 1 / 2, window)
      return met / length / length
    }
    for (const [length, window] of [
      [512, 512],
      [512, 100],
      [100, 1000],
    ] as const) {
      const windowed = problem({
        model: { ...model, attention: { ...fullAttention, window, globalEvery: 0 } },
        chip: 'h100-sxm',
        chips: 8,
        batchTokens: length,
        sequenceLength: length,
      }).model
      expect(attendedShare(windowed, length, 'causal').met).toBeCloseTo(counted(length, window), 9)
    }
  })
})
