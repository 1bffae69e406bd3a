/** Every sentence of an answer is true: its numbers are read and computed again. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstResource, totalAt } from '../../../src/cost/communication/traffic.ts'
import { addOnce, stageTime } from '../../../src/cost/step/stage-time.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { optimize } from '../../../src/optimize.ts'
import { hostSeconds, movements } from '../../../src/plan/account/collectives.ts'
import { costing } from '../../../src/plan/account/costing.ts'
import { withHalf } from '../../../src/plan/account/network-use.ts'
import { assembleInference } from '../../../src/plan/inference/assemble.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { InferenceSketch, PlanSketch } from '../../../src/plan-sketch.ts'
import type { PhaseProblem, Problem } from '../../../src/problem.ts'
import { contextModels, modelFor } from '../../../src/search/layouts/context-models.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { serve } from '../../../src/serve.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { sketchedLayout, sketchedPass, sketchedPlan } from './sketched-plan.ts'
import { inferenceQuestions, tightQuestions, trainingQuestions } from './small-questions.ts'

const rounding = 1e-9
/** Of numbers that are written with three figures. */
const written = 0.006

const scales: Readonly<Record<string, number>> = {
  ...{ B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ us: 1e-6, ms: 1e-3, s: 1 },
}

/** All quantities of a sentence, in its order. */
function quantities(sentence: string): readonly number[] {
  return [...sentence.matchAll(/([\d.]+(?:e[+-]?\d+)?) (B|kB|MB|GB|TB|us|ms|s)\b/g)].map(
    ([, figure, unit = '']) => Number(figure) * (scales[unit] ?? Number.NaN),
  )
}

function sentence({ explanation }: { readonly explanation: readonly string[] }, words: string): string {
  const found = explanation.find((text) => text.includes(words))
  if (found === undefined) throw new Error(`Nothing is said of ${words}: ${explanation.join(' ')}`)
  return found
}

function evaluated(question: Problem, sketch: PlanSketch): Plan {
  return legal(evaluate(question, sketch, solver)).plan
}

function evaluatedPass(question: PhaseProblem, sketch: InferenceSketch): InferencePlan {
  return legal(evaluateInference(question, sketch, solver)).plan
}

/** What holds of a plan in every mode. */
function expectTrue(plan: Plan, halved: (network: string) => number): void {
  const { timeSeconds, memoryBytes, stepTimeSeconds, headroom } = plan
  const { communication, exposedCommunication, hostTransfer, overhead, optimizer } = timeSeconds
  const kernels = timeSeconds.compute + timeSeconds.hbm + timeSeconds.rematerialization
  const parts = kernels + exposedCommunication + timeSeconds.pipelineBubble + overhead + optimizer
  expect(Math.abs(parts / stepTimeSeconds - 1)).toBeLessThanOrEqual(rounding)

  const all = Object.values(communication).reduce((sum, seconds) => sum + seconds, hostTransfer)
  expect(exposedCommunication).toBeLessThanOrEqual(all * (1 + rounding))
  if (all > 0) {
    const [whole = 0, overlapped = 0, exposed = 0] = quantities(sentence(plan, ' of communication '))
    expect(Math.abs(whole - all)).toBeLessThanOrEqual(written * all)
    expect(Math.abs(overlapped + exposed - whole)).toBeLessThanOrEqual(2 * written * whole)
  }

  const { budget, stage: _stage, total, ...held } = memoryBytes
  const bytes = Object.values(held).reduce((sum, part) => sum + part, 0)
  expect(Math.abs(bytes / total - 1)).toBeLessThanOrEqual(rounding)
  const [told = 0, within = 0, ...filling] = quantities(sentence(plan, 'Memory per chip'))
  expect(Math.abs(told - total)).toBeLessThanOrEqual(written * total)
  expect(Math.abs(within - budget)).toBeLessThanOrEqual(written * budget)
  expect(Math.abs(filling.reduce((sum, part) => sum + part, 0) - total)).toBeLessThanOrEqual(written * total)

  const { atHalfBandwidth, robustness } = headroom
  expect(robustness.stepTimeSeconds).toBeGreaterThanOrEqual(stepTimeSeconds * (1 - rounding))
  expect(robustness.stepTimeSeconds).toBeLessThanOrEqual(
    (stepTimeSeconds / robustness.networks) * (1 + rounding),
  )
  expect(robustness.fits).toBe(robustness.memory * total <= budget)
  expect(atHalfBandwidth === null).toBe(all === 0)
  if (atHalfBandwidth) {
    const { network, stepTimeSeconds: longer } = atHalfBandwidth
    expect(Math.abs(halved(network) / longer - 1)).toBeLessThanOrEqual(rounding)
    const [seconds = 0] = quantities(sentence(plan, 'half the bandwidth'))
    expect(Math.abs(seconds - longer)).toBeLessThanOrEqual(written * longer)
    // It then moves twice as long, and no more is waited for than moves.
    expect(longer).toBeGreaterThanOrEqual(stepTimeSeconds * (1 - rounding))
    if (plan.mesh.pipeline === 1) expect(longer).toBeLessThanOrEqual((stepTimeSeconds + all) * (1 + rounding))
  }

  const { mfuPeak, mfuOfBf16Peak, mfu } = plan
  expect(sentence(plan, 'MFU')).toContain(`of the ${mfuPeak.type} peak`)
  if (mfuPeak.type === 'bf16') expect(mfuOfBf16Peak).toBe(mfu)

  if (plan.bottleneck === 'communication') {
    const { network } = plan.bottleneckDetail ?? {}
    expect(network).toBe(atHalfBandwidth?.network)
    expect(plan.explanation[0]).toContain(network)
  } else
    expect(exposedCommunication).toBeLessThanOrEqual(
      Math.max(kernels, ...Object.values({ ...timeSeconds, communication: 0 })),
    )
}

/** Lines are told with only the axes in use, and add up to what was costed with all of them. */
function expectLinesAsCosted(question: Problem): void {
  const models = contextModels(question)
  const [best] = searchAll(models, 1).candidates
  if (!best) return
  const costed = costing(modelFor(models, best), best)
  const { model, longest, layers, candidate, scratch } = costed
  const sum = (at: number) => (scratch.forward[at] ?? 0) + (scratch.backward[at] ?? 0)
  stageTime(costed, longest, candidate.mix, 'expected')
  const each = Array.from(scratch.forward, (_, at) => sum(at))
  addOnce(costed, longest)
  const all = each.map((seconds, at) => (layers.microbatches - 1) * seconds + sum(at))
  const moved = movements(costed)
  const seconds = moved.reduce((total, { line }) => total + line.seconds, hostSeconds(costed))
  expect(Math.abs(seconds - (all[totalAt] ?? 0))).toBeLessThanOrEqual(rounding * seconds)
  moved[0]?.busy.forEach((_, part) => {
    const busy = moved.reduce((total, own) => total + (own.busy[part] ?? 0), 0)
    const costedBusy = all[firstResource + model.resources + part] ?? 0
    expect(Math.abs(busy - costedBusy)).toBeLessThanOrEqual(rounding * seconds)
  })
}

const halfOf = <Question extends { readonly cluster: Cluster }>(
  question: Question,
  network: string,
): Question => ({
  ...question,
  cluster: withHalf(question.cluster, network),
})

/** A batch that is run as it is asked for takes as long as one that is rounded up to it. */
function expectPadded(question: Problem, plan: Plan): void {
  const { workload } = question
  const { globalBatchSequences, paddingFraction, stepTimeSeconds } = plan
  const said = plan.explanation.filter((text) => text.startsWith('A step runs'))
  const batchTokens = globalBatchSequences * workload.sequenceLength
  expect(said.length).toBe(paddingFraction === 0 ? 0 : 1)
  expect(batchTokens * (1 - paddingFraction)).toBeCloseTo(workload.batchTokens, 3)
  const whole = evaluated({ ...question, workload: { ...workload, batchTokens } }, sketchedPlan(plan))
  expect(whole).toMatchObject({ globalBatchSequences, paddingFraction: 0, stepTimeSeconds })
}

describe('what is said of a plan of training', () => {
  law('is replayed by evaluating it', 8, [trainingQuestions], (question) => {
    const [plan] = optimize(question, solver).plans
    if (!plan) return
    expectLinesAsCosted(question)
    expectTrue(plan, (network) => evaluated(halfOf(question, network), sketchedPlan(plan)).stepTimeSeconds)

    const { stageLayers } = plan
    if (stageLayers.length > 1) {
      const said = sentence(plan, ' stages')
      const each = /of ([\d.]+) layers? each/.exec(said)
      const counts = [...said.matchAll(/(\d+) of ([\d.]+)/g)].map(
        ([, stages, layers]) => Number(stages) * Number(layers),
      )
      const layers = each ? stageLayers.length * Number(each[1]) : counts.reduce((sum, own) => sum + own, 0)
      expect(layers).toBeCloseTo(question.model.layers, 1)
    }

    expectPadded(question, plan)

    if (plan.explanation.some((text) => text.includes('are logits'))) {
      const lossChunks = 2 * question.assumptions.lossChunks
      const pieces = { ...question, assumptions: { ...question.assumptions, lossChunks } }
      expect(evaluated(pieces, sketchedPlan(plan)).memoryBytes.total).toBeLessThan(plan.memoryBytes.total)
    }
  })

  it('is computed again for what a chip would lack to keep it', () => {
    let recomputed = 0
    forAll(12, [tightQuestions], (question) => {
      const [plan] = optimize(question, solver).plans
      if (!plan) return
      recomputed++
      const kept = evaluated(question, { ...sketchedLayout(plan), rematerialization: 'none' })
      const [over = 0] = quantities(sentence(plan, 'Recomputed').replace(/.*kept/, ''))
      const short = kept.infeasible?.[0]?.shortBytes ?? 0
      expect(kept.feasible).toBe(false)
      expect(Math.abs(over - short)).toBeLessThanOrEqual(written * short)
    })
    expect(recomputed).toBeGreaterThan(0)
  })

  it('is of the peak of the type that matmuls run in, and of bf16 beside it', () => {
    const questions = trainingQuestions.filter(({ cluster }) => cluster.chip.name === 'h100-sxm')
    forAll(2, [questions], (question) => {
      const [wide] = optimize(question, solver).plans
      if (!wide) return
      const precision = { ...question.precision, compute: 'fp8' as const }
      const narrow = evaluated({ ...question, precision }, sketchedPlan(wide))
      const { mfuPeak, mfu, mfuOfBf16Peak } = narrow
      expect(mfuPeak).toEqual({
        type: 'fp8',
        flopsPerSecondPerChip: question.cluster.chip.peakFlopsPerSecond.fp8,
      })
      // Of the bf16 peak the same work in less time is more, whatever it is of its own.
      const faster = wide.stepTimeSeconds / narrow.stepTimeSeconds
      expect((mfuOfBf16Peak ?? 0) / wide.mfu).toBeCloseTo(faster, 9)
      expect(mfu).toBeLessThan(mfuOfBf16Peak ?? 0)
    })
  })
})

/** The best plan, without the frontier that a whole answer has. */
function planned(question: PhaseProblem): InferencePlan | null {
  const model = inferenceModel(question)
  const phase = phaseOf(model, question)
  const [best] = searchPhase(phase, 1).candidates
  if (!best) return null
  return assembleInference(model, phase, best, 1, null)
}

describe('what is said of a plan of inference', () => {
  law('is replayed by evaluating it', 15, [inferenceQuestions], (question) => {
    const plan = planned(question)
    if (!plan) return
    const sketch = sketchedPass(plan)
    expectTrue(plan, (network) => evaluatedPass(halfOf(question, network), sketch).stepTimeSeconds)
    const { maxBatchSequences, streaming, mesh } = plan
    if (maxBatchSequences === undefined) return
    const { microbatches: _left, ...open } = sketch
    const holds = (batchSequences: number) => evaluatedPass(question, { ...open, batchSequences }).feasible
    expect([holds(maxBatchSequences), holds(maxBatchSequences + 1)]).toEqual([true, false])
    // Weights of a dense model are read once, however many sequences there are.
    if (question.model.experts || mesh.pipeline > 1) return
    const twice = evaluatedPass(question, { ...open, batchSequences: 2 * plan.batchSequences })
    expect(twice.streaming.weightsSeconds).toBeCloseTo(streaming.weightsSeconds, 12)
  })

  it('is below the critical batch where weights are read longer than they are multiplied', () => {
    const questions = inferenceQuestions.filter(
      ({ model, assumptions, workload }) =>
        !model.experts && assumptions.basis === 'book' && workload.mode === 'generate',
    )
    forAll(6, [questions, fc.constantFrom(0.9, 1.1)], (question, share) => {
      const plan = planned(question)
      if (!plan) return
      const { microbatches: _left, ...sketch } = sketchedPass(plan)
      const critical = plan.criticalBatchTokens ?? 0
      const batchSequences = Math.round(share * critical)
      // A whole number of few sequences may be on the other side.
      if (Math.abs(batchSequences / critical - share) > Math.abs(share - 1) / 2) return
      const at = evaluatedPass(question, { ...sketch, batchSequences })
      const { weightsSeconds, arithmeticSeconds } = at.streaming
      expect(sentence(at, 'critical batch').includes('below')).toBe(weightsSeconds > arithmeticSeconds)
    })
  })
})

describe('what is said of a deployment', () => {
  it('adds up to the first token', () => {
    const rates = fc.record({
      promptLength: fc.constantFrom(300, 2048),
      outputLength: fc.constantFrom(60, 400),
      disaggregated: fc.boolean(),
      maxTimeToFirstTokenSeconds: fc.constantFrom(0.5, 2),
    })
    const speculative = { draft: { costRatio: 0.1 }, acceptance: 0.8, tokens: 3 }
    forAll(2, [rates], (asked) => {
      const workload = { mode: 'serve' as const, cachedPrefixLength: 0, speculative, ...asked }
      const question = inferenceProblem({
        model: 'llama-3.1-8b',
        chip: 'h100-sxm',
        chips: 4,
        workload,
        top: 1,
      })
      const [plan] = serve(question, solver).plans
      if (!plan) return
      const said = sentence(plan, 'First token after')
      const [first = 0, ...parts] = quantities(said.replace(/;.*/, ''))
      expect(first).toBeCloseTo(plan.timeToFirstTokenSeconds, 2)
      expect(Math.abs(parts.reduce((sum, part) => sum + part, 0) - first)).toBeLessThanOrEqual(
        written * first,
      )
      const drafted = sentence(plan, 'drafted tokens of each sequence')
      const [step = 0, drafting = 0] = quantities(drafted)
      const { stepTimeSeconds } = plan.generate
      expect(Math.abs(drafting / (3 * 0.1 * stepTimeSeconds) - 1)).toBeLessThanOrEqual(written)
      const [, tokens = 0, times = 0] = /it ([\d.]+) tokens: ([\d.]+) times/.exec(drafted)?.map(Number) ?? []
      expect(tokens).toBeCloseTo(1 + 0.8 + 0.8 ** 2 + 0.8 ** 3, 2)
      expect(Math.abs((tokens * stepTimeSeconds) / step / times - 1)).toBeLessThanOrEqual(2 * written)
    })
  })
})
