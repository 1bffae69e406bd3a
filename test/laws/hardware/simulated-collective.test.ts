import { describe, expect, it } from 'vitest'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { closes } from '../../../src/hardware/network/torus-collective.ts'
import { onTorus, torus, W, whole } from './networks.ts'

/**
 * Store and forward: in one step a link carries one half-shard one way. Every chip sends one half of what is new to
 * it round the one way, the other half round the other; on a line both halves go both ways.
 */
function gatherSteps(n: number, ring: boolean): number {
  const halves = 2
  const held = Array.from({ length: n }, (_, chip) => new Set([0, 1].map((half) => chip * halves + half)))
  const done = () => held.every((chunks) => chunks.size === n * halves)
  let steps = 0
  while (!done()) {
    const arrivals: { readonly to: number; readonly chunk: number }[] = []
    for (let chip = 0; chip < n; chip++) {
      for (const direction of [1, -1]) {
        const to = ring ? (chip + direction + n) % n : chip + direction
        if (to < 0 || to >= n) continue
        const way = direction === 1 ? 0 : 1
        const missing = [...(held[chip] ?? [])].find(
          (chunk) => !held[to]?.has(chunk) && (!ring || n === 2 || chunk % halves === way),
        )
        if (missing !== undefined) arrivals.push({ to, chunk: missing })
      }
    }
    for (const { to, chunk } of arrivals) held[to]?.add(chunk)
    steps++
  }
  return steps
}

/** Chunks over the busiest link one way, where each pair of chips exchanges one and goes the shorter way round. */
function busiestLink(n: number, ring: boolean): number {
  const load = new Array<number>(n).fill(0)
  for (let from = 0; from < n; from++) {
    for (let to = 0; to < n; to++) {
      const forwards = ring ? (to - from + n) % n : to - from
      const backwards = ring ? (from - to + n) % n : from - to
      const share = ring && forwards === backwards ? 0.5 : 1
      const goes = ring ? forwards > 0 && forwards <= backwards : forwards > 0
      if (goes)
        for (let hop = 0; hop < forwards; hop++)
          load[(from + hop) % n] = (load[(from + hop) % n] ?? 0) + share
    }
  }
  return Math.max(...load)
}

describe('the formulas, simulated', () => {
  it.each([3, 4, 5, 6, 7, 8, 12])('a gather on a ring of %i takes as many steps as it says', (n) => {
    const step = 1 / (2 * n) / W
    expect(onTorus(torus([n], true), [whole(0, n)]).perByte).toBeCloseTo(gatherSteps(n, true) * step, 20)
  })

  it.each([2, 3, 4, 5, 8, 12])('a gather on a line of %i takes as many steps as it says', (n) => {
    const step = 1 / (2 * n) / W
    expect(onTorus(torus([n], false), [whole(0, n)]).perByte).toBeCloseTo(gatherSteps(n, false) * step, 20)
  })

  it.each([2, 4, 6, 8, 16])('an all-to-all on a ring or a line of %i fills its busiest link', (n) => {
    for (const ring of [true, false]) {
      const perByte = busiestLink(n, ring) / n ** 2 / W
      expect(onTorus(torus([n], ring), [whole(0, n)]).allToAllPerByte).toBeCloseTo(perByte, 20)
    }
  })

  it.each([3, 5, 7])('an all-to-all on an odd ring of %i is not taken for faster than it is', (n) => {
    const perByte = busiestLink(n, true) / n ** 2 / W
    const { allToAllPerByte } = onTorus(torus([n], true), [whole(0, n)])
    expect(allToAllPerByte).toBeGreaterThanOrEqual(perByte)
    expect(allToAllPerByte).toBeLessThan(1.2 * perByte)
  })

  it('closes a part exactly where its last chip is as far from its first as from the one before', () => {
    const network = torus([12], true)
    for (const size of divisorsOf(12).filter((count) => count > 1)) {
      for (const stride of divisorsOf(12 / size)) {
        const last = (size - 1) * stride
        expect(closes(network, { physical: 0, size, stride })).toBe((last + stride) % 12 === 0)
      }
    }
  })
})
