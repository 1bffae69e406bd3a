/** Keys that are passed around a ring, message by message. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { busySeconds, operationTime } from '../../../src/cost/communication/operation-time.ts'
import { finite, leaf, node, onRanks, onTorus, spine, torusGroups } from './networks.ts'

const V = 1e9
const tiers = [node, leaf, spine]
/** Chips below which two are behind the same switch, tier by tier. */
const units = [8, 32, Number.POSITIVE_INFINITY]

/** All chips send to the next at once, and again when the last message has arrived. */
function inTurns(size: number, stride: number): number {
  const messages = Array.from({ length: size }, (_, rank) => {
    const [from, to] = [rank * stride, ((rank + 1) % size) * stride]
    const level = units.findIndex((unit) => Math.floor(from / unit) === Math.floor(to / unit))
    const crossed = tiers.slice(0, level + 1)
    const rate = Math.min(...crossed.map(({ bytesPerSecondPerChip }) => bytesPerSecondPerChip))
    return V / size / rate + (crossed.at(-1)?.latencySeconds ?? 0)
  })
  return (size - 1) * Math.max(...messages)
}

describe('a ring', () => {
  it.each([
    [2, 1],
    [8, 1],
    [4, 2],
    [16, 1],
    [32, 1],
    [64, 1],
    [16, 4],
    [4, 8],
    [8, 16],
  ])('of %i ranks, %i chips apart, takes as long as its messages', (size, stride) => {
    const cost = onRanks(size, stride)
    expect(operationTime('Ring', V, cost) / inTurns(size, stride)).toBeCloseTo(1, 12)
  })

  it('takes no less than a gather, which all links of a node share, and as much where a node has one rank', () => {
    for (const stride of [1, 2, 4, 8]) {
      for (const size of [2, 4, 8, 16]) {
        const cost = { ...onRanks(size, stride), latency: 0, permuteLatency: 0 }
        const times = (['Ring', 'AllGather'] as const).map((way) => operationTime(way, V, cost))
        const ratio = (times[0] ?? 0) / (times[1] ?? 0)
        expect(ratio).toBeGreaterThan(1 - 1e-12)
        if (stride === 8 && size <= 4) expect(ratio).toBeCloseTo(1, 12)
        if (stride === 1 && size === 16) expect(ratio).toBeGreaterThan(9)
      }
    }
  })

  it('takes no less than a gather on a torus either', () => {
    fc.assert(
      fc.property(torusGroups, ({ network, parts, slices }) => {
        const cost = { ...onTorus(network, parts, finite, slices), latency: 0, permuteLatency: 0 }
        const gather = operationTime('AllGather', V, cost)
        expect(operationTime('Ring', V, cost)).toBeGreaterThanOrEqual((1 - 1e-9) * gather)
      }),
    )
  })

  it('keeps no part of the network busy for longer than it takes, and one for as long', () => {
    for (const size of [2, 8, 16, 64]) {
      const cost = { ...onRanks(size), permuteLatency: 0 }
      const longest = Math.max(...busySeconds('Ring', V, cost))
      expect(longest / operationTime('Ring', V, cost)).toBeCloseTo(1, 12)
    }
  })
})
