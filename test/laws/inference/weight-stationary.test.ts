/**
 * When dividing D as well as F pays: 2D weight-stationary layouts against 1D ones, by the communication of an MLP of
 * two matrices on a torus with three axes, one collective after another.
 *
 * With X chips on D and n/X on F the book has 2BD/(XW) + 4BF·X/(nW) for 2D and 4BD/(3W) for 1D. At the best X, which is
 * sqrt(nD/2F), 2D wins for n > 18·F/D. A torus has that X only by chance: X is an axis, a product of two, or a part of
 * one, and parts have no rings. So 2D never wins below the book's number, and above it if an axis is as long as the
 * best X. F is at least D: otherwise 1D on D alone, which is a 2D layout with all chips on D, moves less on any number
 * of chips.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { placements } from '../../../src/hardware/network/placement.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import type { ProjectionLayout } from '../../../src/sharding/tables/inference-sharding.ts'
import { inventedChip } from '../../book/chips.ts'
import { torus } from '../../book/hardware/networks.ts'
import { inferenceMlpTime } from '../../book/inference/mlp.ts'
import { law } from '../../law.ts'

/** They fall out of the comparison. */
const [D, tokens, linkBytesPerSecond] = [4096, 64, 4.5e10]

/** Sums of the same numbers in another order. */
const rounding = 1e-9

type Box = readonly [number, number, number]

/** On the best mesh and placement that a torus has for the layout; 1D has nothing on tensor2. */
function leastCommunication(topology: Box, ratio: number, layout: ProjectionLayout): number {
  const network = torus(topology, linkBytesPerSecond)
  const chips = topology.reduce((product, length) => product * length, 1)
  const sizes = layout === '1d' ? [1] : divisorsOf(chips).filter((size) => size > 1)
  const times = sizes.flatMap((tensor2) => {
    const mesh = { ...unitMesh, tensor: chips / tensor2, tensor2 }
    return placements(network, mesh).map((placement) => {
      const arrangement = { network, mesh, placement }
      return inferenceMlpTime({ D, F: ratio * D, chip: inventedChip(1), arrangement, layout }, tokens)
        .communication
    })
  })
  return Math.min(...times)
}

function compared(topology: Box, ratio: number): { readonly one: number; readonly two: number } {
  return {
    one: leastCommunication(topology, ratio, '1d'),
    two: leastCommunication(topology, ratio, '2d'),
  }
}

const length = fc.integer({ min: 2, max: 8 })

describe('2D weight-stationary layouts on a torus', () => {
  law(
    'never move less than 1D ones on fewer chips than 18 F/D',
    100,
    [fc.tuple(length, length, length), fc.double({ min: 1, max: 5, noNaN: true })],
    (box, over) => {
      const ratio = over * Math.max(1, (box[0] * box[1] * box[2]) / 18)
      const { one, two } = compared(box, ratio)
      expect(two).toBeGreaterThanOrEqual(one * (1 - rounding))
    },
  )

  law(
    'move less beyond it, where an axis is as long as the best split of D',
    100,
    [length, length, length],
    (X, a, b) => {
      const ratio = (a * b) / (2 * X)
      fc.pre(ratio >= 1)
      const chips = X * a * b
      const { one, two } = compared([X, a, b], ratio)
      if (X === 3) expect(Math.abs(two - one)).toBeLessThanOrEqual(rounding * one)
      else expect(two < one).toBe(chips > 18 * ratio)
    },
  )

  it('pay with F = 4D on 128 chips and not on 64, the book having 72', () => {
    const small = compared([4, 4, 4], 4)
    const large = compared([4, 4, 8], 4)
    expect(small.two).toBeGreaterThan(small.one)
    expect(large.two).toBeLessThan(large.one)
  })

  it('do not pay on 84 chips that lie as 2 x 6 x 7, for want of an axis of about three', () => {
    const { one, two } = compared([2, 6, 7], 4)
    expect(two).toBeGreaterThan(one)
  })
})
