import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Constraints } from '../../../src/constraint.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { frameworks } from '../../../src/launch/framework.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { enumerateMeshes } from '../../../src/search/meshes/meshes.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { sketchedPlan } from '../../laws/plan/sketched-plan.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

const solver = javascriptLpSolver

function evaluated(asked: Problem, sketch: PlanSketch) {
  const answer = legal(evaluate(asked, sketch, solver))
  return answer
}

/** All that tells two plans apart. */
function told({ id, summary, stageLayers, stepTimeSeconds }: Plan) {
  return { id, summary, stageLayers, stepTimeSeconds }
}

const problems: fc.Arbitrary<Problem> = fc
  .record({
    layers: fc.integer({ min: 2, max: 7 }),
    dModel: fc.constantFrom(1024, 2048),
    kvHeads: fc.constantFrom(2, 4),
    experts: fc.constantFrom(null, null, {
      experts: 8,
      activeExperts: 2,
      sharedExperts: 0,
      dFfExpert: 1024,
      denseLayers: 0,
      every: 1,
    }),
    hardware: fc.constantFrom(
      { chip: 'h100-sxm', chips: 8 },
      { chip: 'h100-sxm', chips: 12 },
      { chip: 'a100-80g-sxm', chips: 16 },
      { chip: 'tpu-v5e', topology: [2, 4] },
    ),
    sequences: fc.constantFrom(4, 12, 16),
    sequenceLength: fc.constantFrom(2048, 4096),
    memoryBudget: fc.double({ min: 9.3, max: 10.6, noNaN: true }),
    named: fc.subarray([...frameworks], { minLength: 1 }),
  })
  .map(({ layers, dModel, kvHeads, experts, hardware, sequences, sequenceLength, memoryBudget, named }) =>
    problem({
      model: {
        ...{ layers, dModel, dFf: 4 * dModel, heads: 16, kvHeads, headDim: 64, vocab: 32_000 },
        ...{ gatedMlp: true, tiedEmbeddings: false },
        ...(experts ? { experts } : {}),
      },
      ...hardware,
      ...{ batchTokens: sequences * sequenceLength, sequenceLength, memoryBudget: 10 ** memoryBudget },
      assumptions: { basis: 'calibrated', frameworks: named },
      top: 2,
    }),
  )

describe('a plan that is written, of any small problem,', () => {
  law(
    'is what the search lists where it is copied from the list, or says its mesh alone',
    2,
    [problems],
    (asked) => {
      const { plans, unlaunchable } = optimize(asked, solver)
      for (const plan of plans) {
        expect(told(evaluated(asked, { mesh: plan.mesh }).plan)).toEqual(told(plan))
        expect(told(evaluated(asked, sketchedPlan(plan)).plan)).toEqual(told(plan))
      }
      if (!unlaunchable) return
      expect(told(evaluated(asked, sketchedPlan(unlaunchable.plan)).plan)).toEqual(told(unlaunchable.plan))
    },
  )

  law(
    'is what the search finds where constraints pin it to the mesh, whichever it is',
    6,
    [problems, fc.nat()],
    (asked, drawn) => {
      const { allowed } = enumerateMeshes(asked)
      const mesh = allowed[drawn % allowed.length]
      if (!mesh) return
      const [{ plans, unlaunchable }, { plan, warnings }] = [
        optimize({ ...asked, constraints: mesh }, solver),
        evaluated(asked, { mesh }),
      ]
      const best = plans[0] ?? unlaunchable?.plan
      expect(plan.feasible).toBe(best !== undefined)
      if (!best) return
      expect(told(plan)).toEqual(told(best))
      expect(plans.length === 0).toBe(unlaunchable?.advantage === null)
      const refused = /(can|cannot) launch the plan|no flags are written for the plan/
      if (plans.length === 0) expect(warnings.join()).toMatch(refused)
    },
  )

  law(
    'may have any cut into stages: it is costed as written, and no faster than the best of all',
    4,
    [
      fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 3, maxLength: 3 }),
      fc.constantFrom(null, {
        ...{ experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 1024, denseLayers: 5, every: 1 },
      }),
    ],
    (ends, experts) => {
      const [a = 0, b = 0, c = 0] = [...ends].sort((one, other) => one - other)
      const stageLayers = [a, b - a, c - b, 32 - c]
      const asked = problem({
        model: {
          ...{ layers: 32, dModel: 1024, dFf: 4096, heads: 16, kvHeads: 4, headDim: 64, vocab: 32_000 },
          ...{ gatedMlp: true, tiedEmbeddings: false, ...(experts ? { experts } : {}) },
        },
        ...{ chip: 'h100-sxm', chips: 8, batchTokens: 131_072, sequenceLength: 2048 },
      })
      const open: PlanSketch = { mesh: { ...unitMesh, data: 2, pipeline: 4 }, zeroStage: 1, microbatches: 8 }
      const whole = { ...open, pipelineSchedule: '1f1b', rematerialization: 'none' } as const
      const [best, written] = [whole, { ...whole, stageLayers }].map(
        (sketch) => evaluated(asked, sketch).plan,
      )
      expect(written?.stageLayers).toEqual(stageLayers)
      expect(written?.stepTimeSeconds).toBeGreaterThanOrEqual((best?.stepTimeSeconds ?? 0) * (1 - 1e-9))
      // The longest stage runs all microbatches, whatever the others have.
      const { compute = 0 } = best?.timeSeconds ?? {}
      const share = Math.max(...stageLayers) / Math.max(...(best?.stageLayers ?? [32]))
      if (share > 1.5) expect(written?.timeSeconds.compute).toBeGreaterThan(compute)
    },
  )

  it('is the best of its mesh where nothing of that can be launched, with a warning', () => {
    const asked = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 8, batchTokens: 131_072, sequenceLength: 8192 },
      constraints: { ...unitMesh, tensor: 4, tensor2: 2 },
    })
    const { plans, unlaunchable, infeasible } = optimize(asked, solver)
    expect(plans).toEqual([])
    expect(infeasible?.reasons).toMatchObject([{ reason: 'launch' }])
    expect(infeasible?.suggestions.map(({ pointer }) => pointer)).toContain('/assumptions/frameworks')
    expect(unlaunchable?.advantage).toBe(null)
    expect(unlaunchable?.reasons.megatron).toContain(
      'Megatron-LM has one tensor axis; tensor2 shards D over a second',
    )
    const { plan, warnings } = evaluated(asked, { mesh: { ...unitMesh, tensor: 4, tensor2: 2 } })
    expect(plan.id).toBe(unlaunchable?.plan.id)
    expect(warnings.join()).toContain('can launch the plan')
  })

  it('has what it leaves open under the constraints of the request, what it says as it says it', () => {
    const asked = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 524_288, sequenceLength: 8192 },
      constraints: { microbatches: 4, zeroStage: [0, 1] },
    })
    const mesh = { ...unitMesh, data: 8, pipeline: 2 }
    expect(evaluated(asked, { mesh }).plan).toMatchObject({ microbatches: 4 })
    expect(evaluated(asked, { mesh, microbatches: 2, zeroStage: 2 }).plan).toMatchObject({
      ...{ microbatches: 2, zeroStage: 2 },
    })
  })

  it('has the stage that its axes mean where the search would not try the mesh', () => {
    const asked = problem({
      ...{ model: 'llama-3-8b', chip: 'h100-sxm', chips: 16, batchTokens: 524_288, sequenceLength: 8192 },
    })
    const { plan } = evaluated(asked, { mesh: { ...unitMesh, fsdp: 8, pipeline: 2 } })
    expect(plan.zeroStage).toBe(3)
    expect(plan.feasible).toBe(true)
  })
})

const narrower: fc.Arbitrary<Constraints> = fc.constantFrom<Constraints>(
  { tensor: { max: 2 } },
  { pipeline: 1 },
  { pipeline: { min: 2 } },
  { context: 1, expert: 1 },
  { data: [1, 3] },
  { tensor: 1, microbatches: { min: 2 } },
)

describe('a plan that is found under constraints', () => {
  law(
    'is never better than the first without them, launched or not',
    3,
    [problems, narrower],
    (asked, constraints) => {
      const free = optimize(asked, solver)
      const bound = optimize({ ...asked, constraints }, solver)
      const first = ({ plans }: typeof free) => plans[0]?.stepTimeSeconds ?? Number.POSITIVE_INFINITY
      const best = (answer: typeof free) => answer.unlaunchable?.plan.stepTimeSeconds ?? first(answer)
      expect(first(bound)).toBeGreaterThanOrEqual(first(free) * (1 - 1e-9))
      expect(best(bound)).toBeGreaterThanOrEqual(best(free) * (1 - 1e-9))
      for (const answer of [free, bound]) {
        const { unlaunchable, plans, infeasible } = answer
        expect(infeasible === null).toBe(plans.length > 0)
        if (!unlaunchable) continue
        if (plans.length > 0) expect(unlaunchable.advantage).toBeGreaterThan(1 - 1e-9)
        else expect(infeasible?.reasons).toMatchObject([{ reason: 'launch' }])
        for (const sentences of Object.values(unlaunchable.reasons)) expect(sentences).not.toEqual([])
      }
    },
  )
})
