import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Calibration, calibrate, isBeyondReach, type MeasuredRun } from '../../../src/calibrate.ts'
import { constants } from '../../../src/calibration/constants.ts'
import { fitted, gridOf, residualAt, type Surface, ticksFor } from '../../../src/calibration/fit.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { type Constants, type Reassumable, reassumable, reassumed } from '../../../src/cost/reassumed.ts'
import { evaluatedTrial } from '../../../src/evaluate.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const shape = { layers: 8, dModel: 4096, dFf: 14_336, vocab: 32_000, gatedMlp: true, tiedEmbeddings: false }
const model = { ...shape, heads: 32, kvHeads: 8, headDim: 128 }
const experts = {
  experts: 8,
  activeExperts: 2,
  dFfExpert: 4096,
  sharedExperts: 0,
  denseLayers: 2,
  every: 1,
  nodeLimit: 8,
}

const made = (chips: number, batchTokens: number, own: object = model): Problem =>
  problem({ model: own as typeof model, chip: 'h100-sxm', chips, batchTokens, sequenceLength: 4096 })

const sketches: readonly (readonly [Problem, PlanSketch])[] = [
  [made(8, 131_072), { mesh: { ...unitMesh, fsdp: 8 } }],
  [made(8, 131_072), { mesh: { ...unitMesh, tensor: 8 } }],
  [made(16, 262_144), { mesh: { ...unitMesh, fsdp: 4, tensor: 4 } }],
  [made(16, 524_288), { mesh: { ...unitMesh, data: 4, pipeline: 2, tensor: 2 } }],
  [made(32, 262_144), { mesh: { ...unitMesh, fsdp: 16, context: 2 } }],
]

/** What would have been measured, were these constants true. */
function ran(truth: Constants): readonly MeasuredRun[] {
  return sketches.map(([own, sketch]) => {
    const assumptions = { ...own.assumptions, ...truth }
    const trial = legal(evaluatedTrial(own, sketch))
    const asked = costModel({ ...own, assumptions }, trial.candidate.contextLayout)
    const measuredStepSeconds = costing(asked, trial.candidate).stepTime
    return { problem: own, sketch, measuredStepSeconds }
  })
}

function calibrated(runs: readonly MeasuredRun[], names: readonly Reassumable[]): Calibration {
  const found = calibrate(runs, names)
  if (!found || 'illegal' in found) throw new Error('The runs cannot be costed')
  return found
}

const two: readonly Reassumable[] = ['sustainedShare', 'overlapCriticalPath']

describe('a model under other assumptions', () => {
  it('costs what one that is made of them costs, of every constant, layers that differ too', () => {
    const trials = [
      ...sketches.slice(2),
      [
        made(16, 262_144, { ...model, experts }),
        { mesh: { ...unitMesh, fsdp: 4, tensor: 2, expert: 2 } },
      ] as const,
    ]
    for (const [own, sketch] of trials) {
      const trial = legal(evaluatedTrial(own, sketch))
      for (const name of reassumable) {
        const { range } = constants[name]
        const changed = { [name]: range[0] + 0.4 * (Math.min(range[1], 1) - range[0]) }
        const anew = costModel(
          { ...own, assumptions: { ...own.assumptions, ...changed } },
          trial.candidate.contextLayout,
        )
        expect(costing(reassumed(trial.model, changed), trial.candidate).stepTime).toBe(
          costing(anew, trial.candidate).stepTime,
        )
      }
    }
  })
})

describe('calibration', () => {
  it('finds the constants that runs were made with', () => {
    const truth = { sustainedShare: 0.8, overlapCriticalPath: 0.6 }
    const { constants: found, error } = calibrated(ran(truth), two)
    expect(found[0]?.value).toBeCloseTo(0.8, 1)
    expect(Math.abs((found[0]?.value ?? 0) / 0.8 - 1)).toBeLessThan(0.03)
    expect(Math.abs((found[1]?.value ?? 0) - 0.6)).toBeLessThan(0.1)
    expect(error.fitted.worst).toBeLessThan(0.02)
    expect(error.leftOut.worst).toBeLessThan(error.assumed.worst)
    expect(error.assumed.median).toBeGreaterThan(error.fitted.worst)
    for (const { spreadLeft } of found) expect(spreadLeft).toBeLessThan(1)
  })

  it('is not upset by one run that is wrong, and says which it is', () => {
    const runs = ran({ sustainedShare: 0.8 })
    const { constants: right } = calibrated(runs, ['sustainedShare'])
    for (const factor of [0.4, 1.5, 5]) {
      const wrong = runs.map((run, at) =>
        at === 2 ? { ...run, measuredStepSeconds: factor * run.measuredStepSeconds } : run,
      )
      const found = calibrated(wrong, ['sustainedShare'])
      expect((found.constants[0]?.value ?? 0) / (right[0]?.value ?? 1)).toBeCloseTo(1, 1)
      expect(Math.abs((found.constants[0]?.value ?? 0) / (right[0]?.value ?? 1) - 1)).toBeLessThan(0.03)
      expect(found.runs.map(({ fits }) => fits)).toEqual([true, true, false, true, true])
    }
  })

  it('sets nothing on runs that no constants explain, and they fit nothing', () => {
    for (const factor of [1e3, 1e-3, 1 / 60]) {
      const wrong = ran({ sustainedShare: 0.8 }).map((run) => ({
        ...run,
        measuredStepSeconds: factor * run.measuredStepSeconds,
      }))
      const found = calibrated(wrong, two)
      for (const { value, assumed, spreadLeft } of found.constants) {
        expect([value, spreadLeft]).toEqual([assumed, 1])
      }
      for (const run of found.runs) {
        expect(run.fits).toBe(false)
        expect(isBeyondReach(run)).toBe(true)
      }
    }
    for (const run of calibrated(ran({ sustainedShare: 0.8 }), two).runs) {
      expect(run.nearestStepSeconds / run.measuredStepSeconds).toBeCloseTo(1, 9)
    }
  })

  it('leaves what is assumed where all is as predicted', () => {
    const assumed = made(8, 131_072).assumptions
    const { constants: found } = calibrated(ran({}), two)
    for (const { name, value } of found) expect(value).toBeCloseTo(assumed[name], 2)
  })

  it('points at the run that cannot be costed, and stops where it is told to', () => {
    const [first] = ran({})
    if (!first) throw new Error('There is no run')
    const illegal = { ...first, sketch: { mesh: { ...unitMesh, fsdp: 7 } } }
    expect(calibrate([first, illegal], two)).toMatchObject({ run: 1 })
    expect(calibrate([first], two, () => true)).toBeNull()
  })
})

const surfaces = fc
  .record({
    offsets: fc.array(fc.double({ min: -0.2, max: 0.2, noNaN: true }), { minLength: 1, maxLength: 8 }),
    slope: fc.double({ min: 0.05, max: 0.2, noNaN: true }),
  })
  .map(({ offsets, slope }): Surface => {
    const ticks = ticksFor(1)
    return {
      ...{ ticks, dimensions: 1 },
      residuals: offsets.map((offset) => gridOf(ticks, 1).map(([away = 0]) => offset - slope * away)),
    }
  })

describe('the most likely point', () => {
  law(
    'is no further from what is assumed than runs ask for, and moves by less for one run than for all',
    30,
    [surfaces],
    (surface) => {
      const runs = surface.residuals.map((_, run) => run)
      const [found = 0] = fitted(surface, runs)
      const offs = runs.map((run) => residualAt(surface, run, [0]))
      if (Math.max(...offs) <= 0) expect(found).toBeLessThanOrEqual(1e-3)
      if (Math.min(...offs) >= 0) expect(found).toBeGreaterThanOrEqual(-1e-3)
      expect(fitted(surface, [])).toEqual([0])
      // However far a single run is off, it is worth no more than a few spreads.
      expect(Math.abs(fitted(surface, [0])[0] ?? 0)).toBeLessThanOrEqual(3)
    },
  )

  it('lies on planes where the grid has planes', () => {
    const ticks = ticksFor(2)
    const plane = ([a = 0, b = 0]: readonly number[]) => 0.3 - 0.1 * a + 0.05 * b
    const surface: Surface = { ticks, dimensions: 2, residuals: [gridOf(ticks, 2).map(plane)] }
    forAll(
      100,
      [fc.double({ min: -3, max: 3, noNaN: true }), fc.double({ min: -3, max: 3, noNaN: true })],
      (a, b) => {
        expect(residualAt(surface, 0, [a, b])).toBeCloseTo(plane([a, b]), 9)
      },
    )
  })
})
