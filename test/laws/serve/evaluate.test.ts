/** Written deployments: what they leave out is chosen as the search would, and constraints on chips are kept. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Constraint, satisfies } from '../../../src/constraint.ts'
import { evaluateServe } from '../../../src/evaluate-serve.ts'
import { transformer } from '../../../src/model/architecture.ts'
import type { PhasePlan, ServePlan } from '../../../src/plan/inference-plan.ts'
import type { InstanceSketch, ServeSketch } from '../../../src/plan-sketch.ts'
import type { ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { smallDense } from '../../small-model.ts'

type Problem = ServeProblem

const pools = fc.constantFrom(
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 6 },
  { chip: 'tpu-v5e', topology: [2, 4] },
)

const questions = fc
  .record({
    pool: pools,
    promptLength: fc.constantFrom(1000, 3000),
    outputLength: fc.constantFrom(20, 200),
    disaggregated: fc.constantFrom(true, false, 'auto' as const),
    rate: fc.constantFrom(null, 20, 100),
    perToken: fc.constantFrom(null, 0.004, 0.02),
    drafts: fc.constantFrom(
      null,
      { draft: { costRatio: 0.1 }, acceptance: 0.8, tokens: 3 },
      { draft: transformer('head', { ...smallDense, layers: 1 }), acceptance: 0.5, tokens: 2 },
    ),
  })
  .map(({ pool, rate, perToken, drafts, ...lengths }): Problem => {
    const workload: ServeWorkload = {
      ...{ mode: 'serve', cachedPrefixLength: 0, ...lengths },
      ...(rate === null ? {} : { requestsPerSecond: rate }),
      ...(perToken === null ? {} : { maxTimePerOutputTokenSeconds: perToken }),
      ...(drafts === null ? {} : { speculative: drafts }),
    }
    return inferenceProblem({
      ...{ model: smallDense, ...pool, memoryFraction: 0.14, top: 2, workload },
      assumptions: 'calibrated',
    })
  })

function instancesOf(plan: PhasePlan): InstanceSketch {
  const { mesh, placement, layout, batchSequences, microbatches, instances, topology, slices } = plan
  return {
    ...{ mesh, placement, layout: layout.components, batchSequences, microbatches, instances, slices },
    ...(topology ? { topology } : {}),
  }
}

function sketchOf({ disaggregated, prefill, generate, ...plan }: ServePlan): ServeSketch {
  const { maxSequences, stepTokens, contextLength } = plan
  return {
    ...{ disaggregated, prefill: instancesOf(prefill), generate: instancesOf(generate) },
    ...{ maxSequences, contextLength, ...(stepTokens === null ? {} : { stepTokens }) },
  }
}

function evaluated(problem: Problem, sketch: ServeSketch): ServePlan {
  return legal(evaluateServe(problem, sketch, solver)).plan
}

/** Less is better. */
function scoreOf({ chips, queueing }: ServePlan, { workload }: Problem): number {
  return workload.requestsPerSecond === undefined ? -queueing.arrivalsPerSecond : chips
}

const without: fc.Arbitrary<(sketch: ServeSketch) => ServeSketch> = fc.constantFrom(
  ({ prefill: _, ...sketch }) => sketch,
  ({ generate: _, ...sketch }) => sketch,
  ({ maxSequences: _, stepTokens: __, ...sketch }) => sketch,
  ({ prefill = {}, generate = {}, ...sketch }) => {
    const open = ({ instances: _, ...own }: InstanceSketch) => own
    return { ...sketch, prefill: open(prefill), generate: open(generate) }
  },
  ({ prefill = {}, generate = {}, ...sketch }) => {
    const open = ({ layout: _, placement: __, microbatches: ___, ...own }: InstanceSketch) => own
    return { ...sketch, prefill: open(prefill), generate: open(generate) }
  },
)

describe('a deployment that is written', () => {
  law(
    'has the numbers that it was answered with; with a part left out it is no worse, and with all of them the best',
    2,
    [questions, without],
    (problem, open) => {
      const { plans } = serve(problem, solver)
      for (const { rank: _, explanation: __, ...plan } of plans) {
        // With fewer no server starts.
        if (plan.stepTokens !== null) expect(plan.stepTokens).toBeGreaterThanOrEqual(plan.maxSequences)
        const sketch = sketchOf({ ...plan, rank: 0, explanation: [] })
        const { rank, explanation, ...same } = evaluated(problem, sketch)
        expect({ ...same, prefill: null, generate: null }).toEqual({
          ...plan,
          prefill: null,
          generate: null,
        })
        expect(same.generate.stepTimeSeconds).toBe(plan.generate.stepTimeSeconds)
        expect(same.prefill.stepTimeSeconds).toBe(plan.prefill.stepTimeSeconds)
        expect(same.generate.speculation).toEqual(plan.generate.speculation)
        const opened = evaluated(problem, open(sketch))
        expect(opened.feasible).toBe(true)
        const asked = scoreOf(opened, problem)
        expect(asked).toBeLessThanOrEqual(scoreOf(same as ServePlan, problem) + 1e-3 * Math.abs(asked))
      }
      const [best] = plans
      if (!best) return
      const any = scoreOf(evaluated(problem, {}), problem)
      expect(Math.abs(any / scoreOf(best, problem) - 1)).toBeLessThan(1e-3)
    },
  )

  it('is not feasible where the search found none, however the nearest came about', () => {
    const seconds = fc.constantFrom(0.5, 0.8, 1.05)
    const limited = fc.record({ question: questions, first: seconds, perToken: seconds })
    let told = 0
    forAll(4, [limited], ({ question, first, perToken }) => {
      const { maxTimePerOutputTokenSeconds: _, ...workload } = question.workload
      const fastest = serve(
        { ...question, workload: { ...workload, maxTimePerOutputTokenSeconds: 0.02 } },
        solver,
      )
      const [best] = fastest.plans
      if (!best) return
      const problem: Problem = {
        ...question,
        workload: {
          ...workload,
          maxTimeToFirstTokenSeconds: best.prefill.stepTimeSeconds * first,
          maxTimePerOutputTokenSeconds: best.generate.stepTimeSeconds * perToken,
        },
      }
      const { plans, infeasible } = serve(problem, solver)
      const nearest = infeasible?.nearest
      if (!nearest) return
      told += 1
      expect(plans).toEqual([])
      const { feasible, infeasible: why } = evaluated(problem, sketchOf(nearest.plan))
      expect(feasible).toBe(false)
      expect(why).not.toEqual([])
    })
    expect(told).toBeGreaterThan(0)
  })

  it('is found under limits that one sequence keeps beside few prompts, and not beside as many as come when it is done', () => {
    const workload: ServeWorkload = {
      ...{ mode: 'serve', promptLength: 3000, outputLength: 20, cachedPrefixLength: 0, disaggregated: false },
      ...{ maxTimeToFirstTokenSeconds: 0.019, maxTimePerOutputTokenSeconds: 0.00151 },
    }
    const pool = { model: smallDense, chip: 'tpu-v5e', topology: [2, 4], memoryFraction: 0.14, top: 1 }
    const problem: Problem = inferenceProblem({ ...pool, assumptions: 'calibrated', workload })
    const [best] = serve(problem, solver).plans
    if (!best) throw new Error('no deployment was found')
    const { prefill, outputLength } = { ...best, ...workload }
    const beside = prefill.stepTimeSeconds / (prefill.batchSequences * outputLength)
    expect(best.generate.stepTimeSeconds + beside).toBeGreaterThan(0.00151)
    expect(evaluated(problem, sketchOf(best)).feasible).toBe(true)
    const { maxSequences: _, ...open } = sketchOf(best)
    expect(evaluated(problem, open).feasible).toBe(true)
    const { requestsPerSecond } = best
    const twice = { ...problem, workload: { ...workload, requestsPerSecond: 2 * requestsPerSecond } }
    expect(evaluated(twice, sketchOf(best)).feasible).toBe(false)
    expect(serve(twice, solver).plans).toEqual([])
  })

  const slowLoad: ServeWorkload = {
    ...{ mode: 'serve', promptLength: 2048, outputLength: 300, requestsPerSecond: 0.5 },
    ...{ cachedPrefixLength: 0, disaggregated: 'auto' },
  }

  it('finds what meets a mean time per token though a step with a prompt takes longer', () => {
    const workload = { ...slowLoad, maxTimeToFirstTokenSeconds: 0.1 }
    for (const maxTimePerOutputTokenSeconds of [0.02, 0.04]) {
      const { plans } = serve(
        inferenceProblem({
          ...{ model: 'llama-3.3-70b', chip: 'h100-sxm', chips: 8, top: 1 },
          ...{ precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' }, assumptions: 'calibrated' },
          workload: { ...workload, maxTimePerOutputTokenSeconds },
        }),
        solver,
      )
      expect(plans[0]?.timePerOutputTokenSeconds).toBeLessThanOrEqual(maxTimePerOutputTokenSeconds)
      expect(plans[0]?.timeToFirstTokenSeconds).toBeLessThanOrEqual(0.1)
    }
  })

  it('has what it leaves out chosen among what frameworks launch where that fits, and says so where it does not', () => {
    const workload: ServeWorkload = {
      ...slowLoad,
      ...{ maxTimeToFirstTokenSeconds: 0.06, maxTimePerOutputTokenSeconds: 0.02 },
    }
    const problem = inferenceProblem({
      ...{ model: 'llama-3.3-70b', chip: 'h100-sxm', chips: 8, workload, assumptions: 'calibrated' },
      precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
    })
    const said = (reads: { readonly prefill?: InstanceSketch }) => {
      const generate = { mesh: { ...unitMesh, tensor: 8 } }
      const answer = legal(evaluateServe(problem, { disaggregated: false, generate, ...reads }, solver))
      const warned = answer.warnings.some((text) => text.startsWith('no framework of the request launches'))
      return { warned, commands: answer.plan.launch.commands ?? {}, prefill: answer.plan.prefill.mesh }
    }
    const launched = said({})
    expect(launched.prefill.tensor).toBe(8)
    expect(Object.keys(launched.commands)).not.toEqual([])
    expect(launched.warned).toBe(false)
    const other = said({ prefill: { mesh: { ...unitMesh, context: 8 } } })
    expect(other.warned).toBe(true)
  })

  it('is found under a limit that is its own time to first token, as it is without', () => {
    const rated = questions.filter(({ workload }) => workload.requestsPerSecond !== undefined)
    forAll(2, [rated], (problem) => {
      const [best] = serve(problem, solver).plans
      if (!best) return
      const workload: ServeWorkload = {
        ...problem.workload,
        // A sum in another order may be less by as little.
        maxTimeToFirstTokenSeconds: best.timeToFirstTokenSeconds * (1 - 1e-12),
      }
      expect(serve({ ...problem, workload }, solver).plans[0]?.chips).toBe(best.chips)
    })
  })

  it('takes as many chips as are wanted, and never does better for it', () => {
    const wanted = fc.constantFrom<Constraint[]>(4, { max: 3 }, [1, 2, 6], { min: 3 })
    forAll(2, [questions, wanted], (problem, chips) => {
      const [best] = serve(problem, solver).plans
      const { plans } = serve({ ...problem, constraints: { chips } }, solver)
      for (const plan of plans) expect(satisfies(plan.chips, chips)).toBe(true)
      const [first] = plans
      if (!first) return
      expect(scoreOf(first, problem)).toBeGreaterThanOrEqual(
        best ? scoreOf(best, problem) * (1 - 1e-3 * Math.sign(scoreOf(best, problem))) : 0,
      )
    })
  })
})
