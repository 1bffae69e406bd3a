import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import { meshSize } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { runs } from '../../runs.ts'
import { generateProblems, phases } from './problems.ts'

const numRuns = runs(12)

/** Sums of the same numbers in another order. */
const rounding = 1e-9

/** One seed for the file: its laws are asked of the same problems, each of which is searched once. */
const [seed] = fc.sample(fc.integer(), 1)
const searched = new Map<string, readonly InferencePlan[]>()

function plansOf(problem: PhaseProblem): readonly InferencePlan[] {
  const key = JSON.stringify(problem)
  const plans = searched.get(key) ?? infer(problem, solver).plans
  searched.set(key, plans)
  return plans
}

describe.each(phases)('every plan of %s', (_, problems) => {
  const everyPlan = (hold: (plan: InferencePlan, problem: PhaseProblem) => void) => {
    let seen = 0
    fc.assert(
      fc.property(problems, (problem) => {
        for (const plan of plansOf(problem)) {
          hold(plan, problem)
          seen++
        }
      }),
      { numRuns, ...(seed === undefined ? {} : { seed }) },
    )
    expect(seen).toBeGreaterThan(numRuns)
  }

  it('is no faster than its own floor', () => {
    everyPlan(({ lowerBoundSeconds, floorSeconds }) => {
      expect(floorSeconds).toBeGreaterThan(0)
      expect(lowerBoundSeconds).toBeGreaterThanOrEqual(floorSeconds * (1 - rounding))
    })
  })

  it('has its step between the bounds', () => {
    everyPlan(({ lowerBoundSeconds, stepTimeSeconds, upperBoundSeconds }) => {
      expect(stepTimeSeconds).toBeGreaterThanOrEqual(lowerBoundSeconds * (1 - rounding))
      expect(stepTimeSeconds).toBeLessThanOrEqual(upperBoundSeconds * (1 + rounding))
    })
  })

  it('lies on all chips but those that it says are idle', () => {
    everyPlan(({ mesh, idleChips }, { cluster }) => {
      expect(meshSize(mesh) + idleChips).toBe(cluster.chips)
    })
  })

  it('has a time account that adds up to the step', () => {
    everyPlan(({ timeSeconds, stepTimeSeconds }) => {
      const { compute, hbm, exposedCommunication, pipelineBubble, overhead } = timeSeconds
      const sum = compute + hbm + exposedCommunication + pipelineBubble + overhead
      expect(Math.abs(sum - stepTimeSeconds)).toBeLessThanOrEqual(rounding * stepTimeSeconds)
    })
  })

  it('has a memory account that adds up and is within the budget', () => {
    everyPlan(({ memoryBytes, feasible }) => {
      const { parameters, kvCache, workspace, reserve, total, budget } = memoryBytes
      const sum = parameters + kvCache + workspace + reserve
      expect(Math.abs(sum - total)).toBeLessThanOrEqual(rounding * total)
      expect(Math.min(parameters, kvCache)).toBeGreaterThan(0)
      expect(workspace).toBeGreaterThanOrEqual(-rounding * total)
      expect(total).toBeLessThanOrEqual(budget * (1 + rounding))
      expect(feasible).toBe(true)
    })
  })

  it('keeps at least the caches of its sequences', () => {
    everyPlan(({ memoryBytes, batchSequences }, { model, precision, workload, cluster }) => {
      const length = workload.mode === 'prefill' ? workload.promptLength : workload.meanContextLength
      const one = kvCacheBytes(model, length, elementBytes[precision.kvCache])
      expect(memoryBytes.kvCache * cluster.chips).toBeGreaterThanOrEqual(
        batchSequences * one * (1 - rounding),
      )
    })
  })

  it('has the best layouts that the component-layout programme knows', () => {
    everyPlan(({ layoutProvenBest }) => {
      expect(layoutProvenBest).toBe(true)
    })
  })

  it('is itself when it is evaluated', () => {
    everyPlan((plan, problem) => {
      const found = legal(
        evaluateInference(problem, { mesh: plan.mesh, layout: plan.layout.components }, solver),
      )
      expect(found.plan.id).toBe(plan.id)
      expect(found.plan.stepTimeSeconds).toBe(plan.stepTimeSeconds)
    })
  })
})

describe('the plans of a frontier', () => {
  law(
    'undercut each other in either latency or cost, and are themselves when they are evaluated',
    6,
    [generateProblems],
    (problem) => {
      const points = infer(problem, solver).pareto ?? []
      points.forEach((point, at) => {
        const next = points[at + 1]
        if (next) {
          expect(next.stepTimeSeconds).toBeGreaterThan(point.stepTimeSeconds)
          expect(next.chipSecondsPerToken).toBeLessThan(point.chipSecondsPerToken)
        }
        const found = legal(evaluateInference(problem, point.plan, solver))
        const { plan: _sketch, chips, chipSecondsPerToken, ...numbers } = point
        expect(found.plan).toMatchObject({ ...numbers, feasible: true })
        expect(chips * point.plan.mesh.data).toBe(problem.cluster.chips)
        expect(chipSecondsPerToken * point.tokensPerSecondPerChip).toBeCloseTo(1, 12)
      })
    },
  )
})
