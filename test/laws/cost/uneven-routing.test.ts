import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  evened,
  fullestRows,
  fullestVisited,
  mostPopular,
  type Popularity,
  popularity,
  visitedShare,
} from '../../../src/cost/communication/uneven-routing.ts'
import { runs } from '../../runs.ts'

const mixtures = fc
  .record({ power: fc.integer({ min: 1, max: 9 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ power, share }) => ({
    experts: 2 ** power,
    choices: Math.max(1, Math.round(share * 2 ** power)),
    power,
  }))
const unevenness = fc.double({ min: 0, max: 0.2, noNaN: true })
const tokens = fc.integer({ min: 1, max: 100_000 })

/** Chips that divide the experts. */
const held = fc
  .tuple(mixtures, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([mixture, share]) => ({ mixture, chips: 2 ** Math.round(share * mixture.power) }))

describe('how unevenly tokens fall on experts', () => {
  it('leaves a token its k choices', () => {
    fc.assert(
      fc.property(mixtures, unevenness, ({ experts, choices }, u) => {
        expect(experts * visitedShare(popularity(experts, choices, u), 1)).toBeCloseTo(choices, 6)
      }),
      { numRuns: runs(100) },
    )
  })

  it('makes experts differ by u, for each times the square root of their number', () => {
    for (const u of [0.01, 0.02, 0.05]) {
      const expected = u * Math.sqrt((1 - 8 / 256) * 256)
      expect(deviationOf(popularity(256, 8, u), 8 / 256) / expected).toBeCloseTo(1, 2)
    }
  })

  it('is evened out by copies of an eighth of the experts, and by half of it where half as many are copied', () => {
    const mixture = { experts: 256, choices: 8, unevenness: 0.08 }
    expect(evened(mixture, 0)).toEqual(mixture)
    expect(evened(mixture, 16).unevenness).toBeCloseTo(0.04, 12)
    expect(evened(mixture, 32).unevenness).toBe(0)
    expect(evened(mixture, 64).unevenness).toBe(0)
  })

  it('means fewer experts to read the more uneven it is, and never fewer for more tokens', () => {
    fc.assert(
      fc.property(mixtures, unevenness, tokens, ({ experts, choices }, u, count) => {
        const visited = (one: number, of: number) => visitedShare(popularity(experts, choices, one), of)
        expect(visited(u, count)).toBeLessThanOrEqual(visited(0, count) + 1e-9)
        expect(visited(u, count + 1)).toBeGreaterThanOrEqual(visited(u, count))
      }),
      { numRuns: runs(100) },
    )
  })

  it('makes nobody wait on one chip, nor where every token visits all experts', () => {
    fc.assert(
      fc.property(mixtures, unevenness, tokens, ({ experts, choices }, u, count) => {
        expect(fullestRows({ experts, choices, unevenness: u }, count, 1)).toBe(1)
        expect(fullestRows({ experts, choices: experts, unevenness: u }, count, experts)).toBe(1)
      }),
      { numRuns: runs(50) },
    )
  })

  it('comes to nothing with many tokens where all experts are as popular, and else to what popularity makes of chips', () => {
    const mixture = { experts: 256, choices: 8 }
    expect(fullestRows({ ...mixture, unevenness: 0 }, 1e9, 32)).toBeCloseTo(1, 3)
    const spread = (1 - 8 / 256) * (1 - 1 / 32) * 0.08 ** 2 * 32
    expect(fullestRows({ ...mixture, unevenness: 0.08 }, 1e9, 32)).toBeCloseTo(mostPopular(spread, 32), 6)
  })

  it('gives the fullest chip no fewer rows and experts for more tokens, and no more than there are', () => {
    fc.assert(
      fc.property(held, unevenness, tokens, ({ mixture, chips }, u, count) => {
        const { experts, choices } = mixture
        const rows = (of: number) =>
          ((of * choices) / chips) * fullestRows({ ...mixture, unevenness: u }, of, chips)
        expect(rows(count + 1)).toBeGreaterThanOrEqual(rows(count) * (1 - 1e-9))
        const own = (of: number) =>
          fullestVisited(visitedShare(popularity(experts, choices, u), of), experts / chips, chips)
        expect(own(count + 1)).toBeGreaterThanOrEqual(own(count) * (1 - 1e-9))
        expect(own(count)).toBeLessThanOrEqual(experts / chips)
      }),
      { numRuns: runs(200) },
    )
  })

  it('is within an eighth of what drawn tokens have', () => {
    for (const drawn of [
      { experts: 64, choices: 4, chips: 8 },
      { experts: 256, choices: 8, chips: 32 },
      { experts: 128, choices: 1, chips: 8 },
      { experts: 128, choices: 8, chips: 2 },
    ]) {
      for (const count of [1, 2, 4, 16, 64]) {
        const counted = meanOfDrawn(drawn, count)
        const { experts, choices, chips } = drawn
        const rows = ((count * choices) / chips) * fullestRows({ ...drawn, unevenness: 0 }, count, chips)
        const share = visitedShare(popularity(experts, choices, 0), count)
        const visited = fullestVisited(share, experts / chips, chips)
        for (const ratio of [rows / counted.rows, visited / counted.visited]) {
          expect(ratio).toBeGreaterThan(0.875)
          expect(ratio).toBeLessThan(1.14)
        }
      }
    }
  })
})

describe('the law of the fullest rank', () => {
  // NVIDIA/TensorRT-LLM, docs/source/blogs/tech_blog/blog4, table 1 and the report of single layers below it: (maximum - mean) / mean.
  it.each([
    ['layer 3 of DeepSeek-R1 without copies', 187.9552, 0.498043],
    ['layer 4', 202.728516, 0.537602],
    ['layer 5', 209.339981, 0.458676],
    ['layer 59', 341.339447, 0.717498],
    ['layer 60', 381.045471, 1.119648],
    ['the mean of all layers with 32 copies', 52, 0.109],
  ])('is within a tenth of what was counted: %s', (_, deviation, counted) => {
    expect(mostPopular((deviation / 1024) ** 2, 32) / (1 + counted)).toBeGreaterThan(0.9)
    expect(mostPopular((deviation / 1024) ** 2, 32) / (1 + counted)).toBeLessThan(1.1)
  })

  it('is exceeded by the hottest layers, and so by the mean of all', () => {
    expect(mostPopular((570.880676 / 1024) ** 2, 32) / 3.461014).toBeCloseTo(0.74, 2)
    expect(mostPopular((491.651199 / 1024) ** 2, 32) / 2.564272).toBeCloseTo(0.9, 2)
  })

  it('has the same unevenness between experts as between ranks', () => {
    const u = 491.651199 / 1024 / Math.sqrt(32)
    const counted = 164.1 / 128
    expect(deviationOf(popularity(256, 8, u), 8 / 256) / counted).toBeGreaterThan(0.85)
    expect(deviationOf(popularity(256, 8, u), 8 / 256) / counted).toBeLessThan(1.15)
  })
})

/** Of the experts' shares of tokens, over their mean. */
function deviationOf(popular: Popularity, mean: number): number {
  return Math.sqrt(popular.reduce((sum, part) => sum + part.ofExperts * (part.ofTokens / mean - 1) ** 2, 0))
}

/** Largest count of rows and of visited experts on a chip, in the mean of drawn steps; a token's choices are distinct experts. */
function meanOfDrawn(
  { experts, choices, chips }: { experts: number; choices: number; chips: number },
  tokens: number,
) {
  let seed = 1
  const random = () => {
    seed = (seed * 48271) % 2147483647
    return seed / 2147483647
  }
  const steps = 400
  const sum = { rows: 0, visited: 0 }
  for (let step = 0; step < steps; step++) {
    const rows = new Array<number>(chips).fill(0)
    const visited = Array.from({ length: chips }, () => new Set<number>())
    for (let token = 0; token < tokens; token++) {
      const chosen = new Set<number>()
      while (chosen.size < choices) chosen.add(Math.floor(random() * experts))
      for (const expert of chosen) {
        const chip = Math.floor((expert * chips) / experts)
        rows[chip] = (rows[chip] ?? 0) + 1
        visited[chip]?.add(expert)
      }
    }
    sum.rows += Math.max(...rows) / steps
    sum.visited += Math.max(...visited.map(({ size }) => size)) / steps
  }
  return sum
}
