/** Dispatch to experts while one microbatch runs forwards beside another backwards: when it may be hidden, and what that changes. */

import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../../src/evaluate.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const sequences = 64

const drawn = fc.record({
  expert: fc.constantFrom(2, 8, 16),
  pipeline: fc.constantFrom(1, 2),
  virtualStages: fc.constantFrom(1, 2),
  size: fc.constantFrom(1, 2, 4),
  rematerialization: fc.constantFrom('none', 'selective', 'full'),
  share: fc.double({ min: 0.1, max: 1, noNaN: true }),
})

type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never

function costed(own: Drawn, overlapDispatch: number): Plan {
  const { expert, pipeline, virtualStages, size, rematerialization } = own
  const asked = problem({
    model: 'qwen3-30b-a3b',
    chip: 'h100-sxm',
    chips: 16 * pipeline,
    batchTokens: sequences * 4096,
    sequenceLength: 4096,
    memoryBudget: 1e12,
    assumptions: { basis: 'calibrated', overlapDispatch },
  })
  const sketch: PlanSketch = {
    mesh: { ...unitMesh, data: 16 / expert, expert, pipeline },
    zeroStage: 1,
    microbatchTokens: size * 4096,
    rematerialization,
    ...(pipeline > 1
      ? { pipelineSchedule: virtualStages > 1 ? 'interleaved-1f1b' : '1f1b', virtualStages }
      : {}),
  }
  return legal(evaluate(asked, sketch, javascriptLpSolver)).plan
}

const mayHide = ({ pipeline, virtualStages, size, rematerialization }: Drawn): boolean =>
  rematerialization !== 'full' && sequences / 16 / size > 1 && (pipeline === 1 || virtualStages > 1)

describe('a share of what experts are sent that hides behind another microbatch', () => {
  law(
    'shortens a step by no more than that, and only one that has another to run beside',
    30,
    [drawn],
    (own) => {
      const [waited, hidden] = [costed(own, 0), costed(own, own.share)]
      const gained = waited.stepTimeSeconds - hidden.stepTimeSeconds
      if (!mayHide(own)) {
        expect(gained).toBeCloseTo(0, 9)
        return
      }
      const sent = waited.timeSeconds.communication.expert
      expect(gained).toBeGreaterThan(0)
      // What other stages send is waited for in the bubble.
      const turns = 1 + ((own.pipeline - 1) * 16 * own.size) / sequences
      expect(gained).toBeLessThanOrEqual(own.share * sent * turns * (1 + 1e-9))
      expect(hidden.lowerBoundSeconds).toBeCloseTo(waited.lowerBoundSeconds, 9)
      expect(hidden.upperBoundSeconds).toBeCloseTo(waited.upperBoundSeconds, 9)
    },
  )
})
