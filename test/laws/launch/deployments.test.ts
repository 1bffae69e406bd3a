/** Deployments are launched by one framework, both phases; one that none launches is listed apart, with the reason. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { servers } from '../../../src/launch/framework.ts'
import type { ServeAnswer, ServePlan } from '../../../src/plan/inference-plan.ts'
import type { ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { type InferenceOptions, inferenceProblem, solver } from '../../inference-problem.ts'
import { unknownOptions } from '../../launch/server/options.ts'
import { law } from '../../law.ts'
import { smallDense } from '../../small-model.ts'

type Problem = ServeProblem
type Options = InferenceOptions<ServeWorkload>

const experts = { experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 2048, denseLayers: 0, every: 1 }

const gpus = fc.constantFrom<Pick<Options, 'chip' | 'chips' | 'topology' | 'slices'>[]>(
  { chip: 'h100-sxm', chips: 4 },
  { chip: 'h100-sxm', chips: 6 },
)
const tpus = fc.constantFrom<Pick<Options, 'chip' | 'chips' | 'topology' | 'slices'>[]>(
  { chip: 'tpu-v5e', topology: [2, 4] },
  { chip: 'tpu-v5e', topology: [2, 2], slices: 2 },
)

const requests: fc.Arbitrary<ServeWorkload> = fc
  .record({
    promptLength: fc.constantFrom(1000, 3000),
    outputLength: fc.constantFrom(20, 200),
    disaggregated: fc.constantFrom(true, false, 'auto' as const),
    rate: fc.constantFrom(null, 20, 100, 200),
    first: fc.constantFrom(null, 0.06, 0.3),
    perToken: fc.constantFrom(null, 0.004, 0.02),
  })
  .map(({ rate, first, perToken, ...workload }) => ({
    ...{ mode: 'serve', cachedPrefixLength: 0, ...workload },
    ...(rate === null ? {} : { requestsPerSecond: rate }),
    ...(first === null ? {} : { maxTimeToFirstTokenSeconds: first }),
    ...(perToken === null ? {} : { maxTimePerOutputTokenSeconds: perToken }),
  }))

const questions = fc
  .record({
    model: fc.constantFrom(smallDense, { ...smallDense, kvHeads: 1 }, { ...smallDense, experts }),
    pool: fc.oneof(gpus, tpus),
    workload: requests,
    memoryFraction: fc.constantFrom(0.1, 0.14, 0.3),
    frameworks: fc.constantFrom([...servers], ['sglang', 'maxtext'] as const, ['vllm'] as const),
  })
  .map(({ pool, frameworks, ...options }) =>
    inferenceProblem({ ...options, ...pool, assumptions: { basis: 'calibrated', frameworks }, top: 3 }),
  )

function launching({ launch }: ServePlan, { assumptions }: Problem): Problem['assumptions']['frameworks'] {
  return assumptions.frameworks.filter((name) => launch[name] !== undefined && !isRefused(launch[name]))
}

function isRefused(flags: unknown): boolean {
  return typeof flags === 'object' && flags !== null && 'unsupported' in flags
}

/** Less is better: chips at a rate, minus the rate of a chip without one. */
function score({ plans: [best] }: ServeAnswer, problem: Problem): number {
  return best ? scoreOf(best, problem) : Number.POSITIVE_INFINITY
}

function scoreOf({ chips, queueing }: ServePlan, { workload }: Problem): number {
  return workload.requestsPerSecond === undefined ? -queueing.arrivalsPerSecond : chips
}

const constraints = fc.constantFrom<Problem['constraints'][]>(
  { pipeline: 1 },
  { tensor: { max: 2 }, tensor2: 1 },
  { expert: 1 },
)

describe('deployments', () => {
  law(
    'have one framework that launches both phases, and beside them the best of all, where that is better',
    6,
    [questions],
    (problem) => {
      const answer = serve(problem, solver)
      for (const plan of answer.plans) expectLaunched(plan, problem)
      expectBeside(answer, serve(withFrameworks(problem, []), solver), problem)
    },
  )

  law(
    'are never better for a constraint, and as good with the framework that launches the first alone',
    3,
    [questions, constraints],
    (problem, constraints) => {
      const answer = serve(problem, solver)
      const first = score(answer, problem)
      const scored = (asked: Problem) => score(serve(asked, solver), asked)
      expectNoBetter(scored({ ...problem, constraints }), first)
      const [best] = answer.plans
      if (!best) return
      const alone = launching(best, problem).map((name) => scored(withFrameworks(problem, [name])))
      for (const found of alone) expectNoBetter(found, first)
      expect(Math.min(...alone) / first).toBeCloseTo(1, 9)
    },
  )
})

function expectLaunched(plan: ServePlan, problem: Problem): void {
  expect(launching(plan, problem)).not.toEqual([])
  for (const { launch } of [plan.prefill, plan.generate, plan]) expect(unknownOptions(launch)).toEqual([])
  if (plan.disaggregated) return
  expect([plan.prefill.launch, plan.generate.launch]).toEqual([{}, {}])
  expect(plan.prefill.mesh).toEqual(plan.generate.mesh)
  expect(plan.secondLayout).toBeNull()
}

function expectBeside(answer: ServeAnswer, all: ServeAnswer, problem: Problem): void {
  const { unlaunchable } = answer
  expect(all.unlaunchable).toBeNull()
  const [best, first] = [score(all, problem), score(answer, problem)]
  if (!unlaunchable) {
    // What is hardly better is not told.
    expect(first === best || Math.abs(first / best - 1) < 2e-3).toBe(true)
    return
  }
  expect(scoreOf(unlaunchable.plan, problem) / best).toBeCloseTo(1, 9)
  expect(first).toBeGreaterThan(best)
  const times = problem.workload.requestsPerSecond === undefined ? best / first : first / best
  if (answer.plans.length > 0) expect((unlaunchable.advantage ?? 0) / times).toBeCloseTo(1, 9)
  else expect(unlaunchable.advantage).toBeNull()
  for (const sentences of Object.values(unlaunchable.reasons)) expect(sentences).not.toEqual([])
}

function expectNoBetter(found: number, first: number): void {
  if (Number.isFinite(found)) expect(found).toBeGreaterThanOrEqual(first - 1e-9 * Math.abs(first))
}

function withFrameworks(problem: Problem, frameworks: Problem['assumptions']['frameworks']): Problem {
  return { ...problem, assumptions: { ...problem.assumptions, frameworks } }
}

const serving: ServeWorkload = {
  ...{ mode: 'serve', promptLength: 3000, outputLength: 20 },
  ...{ disaggregated: 'auto', cachedPrefixLength: 0 },
}

describe('a server that runs both phases', () => {
  it('reads prompts with keys projected, and generates with the projection absorbed', () => {
    const latent = { queryRank: 512, keyValueRank: 256, nopeHeadDim: 128, ropeHeadDim: 64, valueHeadDim: 128 }
    const problem = inferenceProblem<ServeWorkload>({
      model: {
        ...smallDense,
        attention: { window: null, globalEvery: 1, kvShareGroup: 1, latent, index: null },
      },
      ...{ chip: 'h100-sxm', chips: 4, assumptions: 'calibrated' },
      workload: { ...serving, disaggregated: false },
    })
    const { plans, unlaunchable } = serve(problem, solver)
    const [best] = plans
    expect(best?.prefill.layout.components.attention).toMatch(/projected$/)
    expect(best?.generate.layout.components.attention).toMatch(/absorbed$/)
    expect(unlaunchable).toBeNull()
  })
})

/** The words with which vLLM is told of each phase, or of both. */
function toldVllm({ disaggregated, prefill, generate, launch }: ServePlan): readonly (readonly string[])[] {
  return (disaggregated ? [prefill.launch, generate.launch] : [launch]).map(({ vllm }) => vllm as string[])
}

describe('what vLLM is told', () => {
  const asked = (more: Pick<Options, 'model' | 'chip'> & Partial<Options>, disaggregated: boolean) =>
    serve(
      inferenceProblem({
        ...{ assumptions: { basis: 'calibrated', frameworks: ['vllm'] }, ...more },
        workload: { ...serving, outputLength: 200, disaggregated },
      }),
      solver,
    ).plans

  it.each([true, false])('sends tokens to experts in one phase alone, phases apart: %s', (disaggregated) => {
    const model = { ...smallDense, experts }
    const plans = asked({ model, chip: 'h100-sxm', chips: 8, top: 20 }, disaggregated)
    expect(plans.length).toBeGreaterThan(2)
    const sent = plans.flatMap(toldVllm).filter((words) => words.includes('--all2all-backend'))
    if (disaggregated) expect(sent).not.toEqual([])
    else expect(sent).toEqual([])
  })

  it('sends caches by the connector of its chips, from those that read prompts to those that generate', () => {
    const pools = [
      [{ chip: 'h100-sxm', chips: 4 }, ['kv_both', 'kv_both'], 'NixlConnector'],
      [{ chip: 'tpu-v5e', topology: [2, 4] }, ['kv_producer', 'kv_consumer'], 'TPUConnector'],
    ] as const
    for (const [pool, roles, name] of pools) {
      const [best] = asked({ model: smallDense, ...pool, top: 1 }, true)
      const told = (best ? toldVllm(best) : []).map((words) =>
        JSON.parse(words[words.indexOf('--kv-transfer-config') + 1] ?? ''),
      )
      expect(told.map(({ kv_role }) => kv_role)).toEqual(roles)
      for (const { kv_connector } of told) expect(kv_connector).toBe(name)
    }
  })
})

describe('what no framework launches', () => {
  it('is told with what it gains and what is in its way, phase by phase', () => {
    const problem = inferenceProblem<ServeWorkload>({
      ...{
        model: smallDense,
        chip: 'tpu-v5e',
        topology: [2, 4],
        memoryFraction: 0.1,
        assumptions: 'calibrated',
      },
      workload: { ...serving, maxTimeToFirstTokenSeconds: 0.02 },
    })
    const { plans, unlaunchable } = serve(problem, solver)
    expect(plans.length).toBeGreaterThan(0)
    expect(unlaunchable?.plan.prefill.mesh.context).toBeGreaterThan(1)
    expect(unlaunchable?.advantage).toBeGreaterThan(1)
    expect(Object.keys(unlaunchable?.reasons ?? {})).toEqual(['vllm', 'maxtext'])
    for (const sentences of Object.values(unlaunchable?.reasons ?? {})) {
      expect(sentences.join('\n')).toMatch(
        /^prefill: [\s\S]*context[\s\S]*^generate: [\s\S]*2d[\s\S]*^on the same chips [\s\S]*one server/m,
      )
    }
  })

  it('stands beside no deployment where nothing else is there, and the constraint in its way may go', () => {
    const problem = inferenceProblem<ServeWorkload>({
      ...{ model: { ...smallDense, experts }, chip: 'h100-sxm', chips: 4, assumptions: 'calibrated' },
      constraints: { expert: 2, tensor: 2 },
      workload: serving,
    })
    const { plans, unlaunchable, infeasible } = serve(problem, solver)
    expect(plans).toEqual([])
    expect(unlaunchable?.advantage).toBeNull()
    expect(infeasible?.reasons.map(({ reason }) => reason)).toEqual(['launch'])
    const pointers = new Set(infeasible?.suggestions.map(({ pointer }) => pointer))
    expect([...pointers]).toEqual(['/constraints/expert', '/constraints/tensor', '/assumptions/frameworks'])
    for (const constraints of [{ tensor: 2 }, { expert: 2 }]) {
      expect(serve({ ...problem, constraints }, solver).plans.length).toBeGreaterThan(0)
    }
    expect(serve(withFrameworks(problem, []), solver).plans[0]?.id).toBe(unlaunchable?.plan.id)
  })
})

it('notes of a launch are of the frameworks that are asked for', () => {
  const notesFor = (frameworks: readonly (typeof servers)[number][]) => {
    const workload = { mode: 'serve', promptLength: 1000, outputLength: 20, cachedPrefixLength: 0 } as const
    const { plans } = serve(
      inferenceProblem({
        ...{ model: smallDense, chip: 'h100-sxm', chips: 4, workload: { ...workload, disaggregated: true } },
        assumptions: { basis: 'calibrated', frameworks },
      }),
      solver,
    )
    const { commands, notes } = plans[0]?.launch ?? {}
    return { commands: Object.keys(commands ?? {}), notes: String(notes) }
  }
  const ofTensorrt = 'TensorRT-LLM: put the hosts'
  const all = notesFor([...servers])
  expect(all.notes).toContain(ofTensorrt)
  const one = notesFor(['sglang'])
  expect(one.commands).toEqual(all.commands)
  expect(one.notes).not.toContain('TensorRT-LLM')
  expect(one.notes).not.toContain('vLLM')
})
