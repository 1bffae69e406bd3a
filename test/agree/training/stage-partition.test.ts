/** Partitions of unequal layers into stages: the dynamic programme against all partitions, and against the MILP. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { evenLastLayers, stageLayers } from '../../../src/cost/step/stages.ts'
import { evenPartition } from '../../../src/search/stages/even-partition.ts'
import { type LayerLoad, type StageRoom, stagePartition } from '../../../src/search/stages/stage-partition.ts'
import { law } from '../../law.ts'
import { highs } from '../../solvers.ts'
import { solveStagePartition } from './stage-partition-program.ts'

function* cuts(layers: number, stages: number): Generator<readonly number[]> {
  if (stages === 1) yield [layers]
  else
    for (let first = 1; first <= layers - stages + 1; first++)
      for (const rest of cuts(layers - first, stages - 1)) yield [first, ...rest]
}

function loads(layers: readonly LayerLoad[], counts: readonly number[]): readonly (readonly LayerLoad[])[] {
  let from = 0
  return counts.map((count) => {
    from += count
    return layers.slice(from - count, from)
  })
}

function longest(layers: readonly LayerLoad[], counts: readonly number[]): number {
  return Math.max(...loads(layers, counts).map((own) => own.reduce((sum, { time }) => sum + time, 0)))
}

function fits(
  layers: readonly LayerLoad[],
  stages: readonly StageRoom[],
  counts: readonly number[],
): boolean {
  return loads(layers, counts).every((own, stage) => {
    const { inFlight, limit } = stages[stage] as StageRoom
    return own.reduce((sum, { bytes, kept }) => sum + bytes + inFlight * kept, 0) <= limit
  })
}

/** Infinite where no cut fits. */
function bruteForce(layers: readonly LayerLoad[], stages: readonly StageRoom[]): number {
  const fitting = [...cuts(layers.length, stages.length)].filter((counts) => fits(layers, stages, counts))
  return Math.min(...fitting.map((counts) => longest(layers, counts)))
}

const anyCut = fc.record({
  layers: fc.array(
    fc.record({
      time: fc.integer({ min: 0, max: 20 }),
      bytes: fc.integer({ min: 0, max: 9 }),
      kept: fc.integer({ min: 0, max: 3 }),
    }),
    { minLength: 1, maxLength: 9 },
  ),
  stages: fc.array(
    fc.record({
      inFlight: fc.integer({ min: 0, max: 4 }),
      limit: fc.oneof(fc.integer({ min: 5, max: 90 }), fc.constant(Number.POSITIVE_INFINITY)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

describe('unlike layers on stages', () => {
  law(
    'are cut as well as by trying every cut, and within the limits',
    1000,
    [anyCut],
    ({ layers, stages }) => {
      const cut = stagePartition(layers, stages)
      expect(cut?.longest ?? Number.POSITIVE_INFINITY).toBe(bruteForce(layers, stages))
      if (!cut) return
      expect(cut.counts.reduce((sum, count) => sum + count, 0)).toBe(layers.length)
      expect(longest(layers, cut.counts)).toBe(cut.longest)
      expect(fits(layers, stages, cut.counts)).toBe(true)
    },
  )

  law('are cut as the integer programme cuts them, whichever solver', 60, [anyCut], ({ layers, stages }) => {
    const cut = stagePartition(layers, stages)
    const [first] = layers
    for (const solver of [javascriptLpSolver, highs]) {
      // The pure JavaScript solver is for small programmes.
      if (solver === javascriptLpSolver && layers.length * stages.length > 16) continue
      const answer = solveStagePartition(layers, stages, solver)
      expect(answer.status).toBe(cut ? 'optimal' : 'infeasible')
      if (answer.status !== 'optimal' || !cut || !first) continue
      expect(answer.longest).toBeCloseTo(cut.longest, 5)
      expect(longest(layers, answer.counts)).toBeCloseTo(cut.longest, 5)
    }
  })

  law(
    'that are alike are cut as long as the closed form says',
    100,
    [fc.integer({ min: 4, max: 40 }), fc.integer({ min: 2, max: 4 }), fc.constantFrom(0, 0.5, 1.5, 3)],
    (count, p, loss) => {
      const closed = stageLayers(count, p, 1, evenLastLayers(count, p, 1, loss) ?? 0) ?? []
      const alike = Array.from({ length: count }, (_, layer) => ({
        time: 1 + (layer === count - 1 ? loss : 0),
        bytes: 0,
        kept: 0,
      }))
      const rooms = closed.map(() => ({ inFlight: 0, limit: 0 }))
      expect(stagePartition(alike, rooms)?.longest).toBeCloseTo(longest(alike, closed), 9)
    },
  )

  it('put more on the stage that the dense ones are on, and fewer before the loss', () => {
    const dense = { time: 0.55, bytes: 0, kept: 0 }
    const sparse = { time: 1, bytes: 0, kept: 0 }
    const withLoss = { ...sparse, time: 1.9 }
    const layers = [...Array.from({ length: 59 }, (_, layer) => (layer < 3 ? dense : sparse)), withLoss]
    const cut = stagePartition(
      layers,
      Array.from({ length: 15 }, () => ({ inFlight: 1, limit: 0 })),
    )
    expect(cut?.longest).toBeCloseTo(4, 12)
    expect(cut?.counts).toEqual([5, ...new Array<number>(13).fill(4), 3])
  })
})

/** Few times that sum to many alike: ties are what is settled here. */
const evenTimes = fc.record({
  times: fc.array(fc.constantFrom(1, 1, 1.5, 2, 0.1 + 0.2), { minLength: 1, maxLength: 9 }),
  stages: fc.integer({ min: 1, max: 5 }),
})

describe('layers that are shared evenly', () => {
  law(
    'make the shortest longest stage there is, and of those cuts the least sum of squares',
    300,
    [evenTimes],
    ({ times, stages }) => {
      const counts = evenPartition(times, stages)
      expect(counts === null).toBe(times.length < stages)
      if (!counts) return
      const layers = times.map((time) => ({ time, bytes: 0, kept: 0 }))
      const squares = (cut: readonly number[]) =>
        loads(layers, cut).reduce((sum, own) => sum + own.reduce((all, { time }) => all + time, 0) ** 2, 0)
      const ways = [...cuts(times.length, stages)]
      const shortest = Math.min(...ways.map((way) => longest(layers, way)))
      const best = ways.filter((way) => longest(layers, way) <= shortest * (1 + 1e-9))
      expect(counts).toHaveLength(stages)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(times.length)
      expect(longest(layers, counts)).toBeCloseTo(shortest, 9)
      expect(squares(counts)).toBeCloseTo(Math.min(...best.map(squares)), 9)
    },
  )

  law(
    'are those of the closed form where layers are alike',
    300,
    [fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 0.3, 3.7e11)],
    (layers, others, time) => {
      const closed = stageLayers(layers + 1, others + 1, 1, 1)
      const counts = evenPartition(new Array<number>(layers).fill(time), others)
      expect(counts && [...counts, 1]).toEqual(closed)
    },
  )
})
