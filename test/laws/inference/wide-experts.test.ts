/** Experts over more chips than divide them, with copies in the slots left over; and two half batches in turns. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import { offeredLayouts } from '../../../src/inference/layout/layout-question.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { arrange } from '../../../src/inference/pass/arrangement.ts'
import { stepPasses } from '../../../src/inference/pass/step-passes.ts'
import { sitesOf } from '../../../src/inference/sites.ts'
import { besideSeconds, leastBeside, mostBeside } from '../../../src/inference/time/turns.ts'
import { createWorkbench } from '../../../src/inference/workbench.ts'
import { expertSlots } from '../../../src/model/expert-slots.ts'
import { phaseModes } from '../../../src/modes/names.ts'
import { prefillPhase } from '../../../src/modes/prefill/phase.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { GenerateProblem, InferenceProblem, PhaseProblem } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import {
  generation,
  type InferenceOptions,
  inferenceProblem,
  prompts,
  solver,
} from '../../inference-problem.ts'
import { forAll, law, whole } from '../../law.ts'
import { legal } from '../../legal.ts'

const fp8 = { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' } as const

const halving = { basis: 'calibrated', twoBatchOverlap: true } as const

function deepseek<Workload extends PhaseProblem['workload']>(
  chips: number,
  workload: Workload,
  assumptions: Exclude<InferenceOptions<never>['assumptions'], string | undefined> = { basis: 'calibrated' },
): InferenceProblem<Workload> {
  return inferenceProblem({
    ...{ model: 'deepseek-v3', chip: 'h800-sxm', chips },
    ...{ workload, precision: fp8, assumptions, top: 3 },
  })
}

function evaluated(problem: PhaseProblem, mesh: Partial<Mesh>): InferencePlan {
  return legal(evaluateInference(problem, { mesh: { ...unitMesh, ...mesh }, layout: {} }, solver)).plan
}

describe('slots for experts', () => {
  law(
    'hold every expert and the copies that are asked for, with no chip to spare',
    100,
    [whole(1, 512), whole(2, 512), whole(0, 64)],
    (experts, chips, copies) => {
      const { perChip, redundant } = expertSlots(experts, chips, copies)
      expect(perChip * chips).toBe(experts + redundant)
      expect(redundant).toBeGreaterThanOrEqual(copies)
      expect(redundant - copies).toBeLessThan(chips)
    },
  )

  it('are those of DeepSeek: 9 on each of 32 chips, 2 on each of 144, one on each of 320', () => {
    const slots = [32, 144, 320].map((chips) => expertSlots(256, chips, 32).perChip)
    expect(slots).toEqual([9, 2, 1])
  })
})

describe('experts over chips that do not divide them', () => {
  const bytesOfExpert = 58 * 3 * 7168 * 2048
  const parameters = (expert: number, redundantExperts = 0) =>
    evaluated(deepseek(expert, generation(expert * 16, 4096), { basis: 'calibrated', redundantExperts }), {
      expert,
    }).memoryBytes.parameters

  it('take memory for every slot', () => {
    expect(parameters(72) - parameters(128)).toBe(2 * bytesOfExpert)
    expect(parameters(144)).toBe(parameters(128))
    expect(parameters(128) - parameters(320)).toBe(bytesOfExpert)
    expect(parameters(128, 1) - parameters(128)).toBe(bytesOfExpert)
  })

  it('share the work out, as uneven as copies leave it', () => {
    const arithmetic = (expert: number, assumptions: object) => {
      const problem = deepseek(expert, generation(expert * 16, 4096), { basis: 'calibrated', ...assumptions })
      return evaluated(problem, { expert }).streaming.arithmeticSeconds
    }
    // Without anything uneven, and a factor that is more than what draws make of so many chips.
    const even = { expertUnevenness: 0, expertImbalance: 2 }
    for (const expert of [72, 144, 320])
      expect(arithmetic(expert, even)).toBeCloseTo(arithmetic(128, even), 12)
    const uneven = (expert: number, expertUnevenness: number) => arithmetic(expert, { expertUnevenness })
    expect(uneven(128, 0.06)).toBeGreaterThan(uneven(128, 0))
    // 32 copies and more.
    for (const expert of [72, 144, 320]) expect(uneven(expert, 0.06)).toBe(uneven(expert, 0))
  })

  it('are found by the search, which says how many copies there are, and counts every mesh', () => {
    const { plans, search } = infer(deepseek(144, generation(144 * 92, 4989), halving), solver)
    const [best] = plans
    expect(best?.mesh.expert).toBe(144)
    expect(best?.redundantExperts).toBe(32)
    expect(best?.explanation.join(' ')).toContain('32 slots for experts on every 144 chips hold copies')
    const { memory, topology, divisibility, constraint } = search.infeasible
    expect(search.evaluated + search.pruned + memory + topology + divisibility + constraint).toBe(
      search.enumerated,
    )
  })
})

describe('two halves of a batch', () => {
  /** The whole batch and its halves, on a network that is as priced, or free. */
  const seconds = (problem: GenerateProblem, mesh: Mesh, batch: number, free: boolean) => {
    const bench = createWorkbench(inferenceModel(problem))
    const [site] = sitesOf(bench, mesh)
    const offered = offeredLayouts(bench, mesh)
    return stepPasses(bench, problem.workload, batch, mesh).map(
      (pass) =>
        arrange(bench, { mesh, costs: free ? [] : (site?.costs ?? []), offered }, pass)?.seconds ??
        Number.NaN,
    )
  }
  const mesh = { ...unitMesh, expert: 64 }

  law(
    'lose in generation where nothing is communicated, as each reads the weights',
    8,
    [whole(1, 400)],
    (each) => {
      const problem = deepseek(64, generation(64 * each, 2000), halving)
      const [together = 0, halved = 0] = seconds(problem, mesh, 64 * each, true)
      expect(halved).toBeGreaterThan(together)
    },
  )

  it('gain nothing in prefill where nothing is communicated', () => {
    const problem = deepseek(64, prompts(256, 4096), halving)
    const bench = createWorkbench(inferenceModel(problem))
    const offered = offeredLayouts(bench, mesh)
    const [site] = sitesOf(bench, mesh)
    const passes = site ? prefillPhase(bench, problem).passes(site) : []
    const [together = 0, halved = 0] = passes.map(
      (pass) => arrange(bench, { mesh, costs: [], offered }, pass)?.seconds ?? Number.NaN,
    )
    expect(halved).toBeGreaterThanOrEqual(together)
  })

  law('take no less than their products, nor than the way of their tokens', 8, [whole(1, 400)], (each) => {
    const problem = deepseek(64, generation(64 * each, 2000), halving)
    const [, halved = 0] = seconds(problem, mesh, 64 * each, false)
    const [, products = 0] = seconds(problem, mesh, 64 * each, true)
    const [together = 0] = seconds(problem, mesh, 64 * each, false)
    const [alone = 0] = seconds(problem, mesh, 64 * each, true)
    expect(halved).toBeGreaterThanOrEqual(products)
    expect(halved).toBeGreaterThanOrEqual(together - alone)
  })

  law('are chosen where they are faster, and only then', 10, [whole(1, 256)], (each) => {
    const workload = generation(64 * each, 2000)
    const without = evaluated(deepseek(64, workload), mesh)
    const may = evaluated(deepseek(64, workload, halving), mesh)
    expect(without.twoBatchOverlap).toBe(false)
    if (may.twoBatchOverlap) expect(may.stepTimeSeconds).toBeLessThan(without.stepTimeSeconds)
    else expect(may.stepTimeSeconds).toBe(without.stepTimeSeconds)
    expect(may.lowerBoundSeconds).toBeLessThanOrEqual(may.stepTimeSeconds * (1 + 1e-12))
    expect(may.stepTimeSeconds).toBeLessThanOrEqual(may.upperBoundSeconds * (1 + 1e-12))
  })

  it('let more sequences into a step of limited length', () => {
    const workload = generation('max', 4989, { maxStepSeconds: 0.05 })
    const sequences = (assumptions: { readonly basis: 'calibrated'; readonly twoBatchOverlap?: boolean }) => {
      const { stepTimeSeconds, batchSequences } = evaluated(deepseek(64, workload, assumptions), mesh)
      expect(stepTimeSeconds).toBeLessThanOrEqual(0.05)
      return batchSequences
    }
    expect(sequences(halving)).toBeGreaterThan(sequences({ basis: 'calibrated' }))
  })

  it('pay for a few sequences less than for many, as SGLang measured', () => {
    const gain = (each: number) => {
      const problem = deepseek(72, generation(72 * each, 2000), halving)
      const on72 = { ...unitMesh, expert: 72 }
      const [together = 0, halved = 0] = seconds(problem, on72, 72 * each, false)
      return together / halved
    }
    expect(gain(4)).toBeLessThan(1)
    expect(gain(256)).toBeGreaterThan(1.2)
  })

  describe('a layer in turns', () => {
    const computed = { projections: 2, attention: 4, experts: 6, shared: 1 }
    const seconds = fc.double({ min: 0, max: 10, noNaN: true })
    const layers = fc.record({ projections: seconds, attention: seconds, experts: seconds, shared: seconds })
    const ways = fc.record({ dispatch: seconds, combine: seconds })
    const share = fc.double({ min: 0, max: 0.5, noNaN: true })

    it('takes what DeepSeek drew of either phase, turn by turn', () => {
      // Both halves of a prefill: 7 beside 8, 6 beside 3, 6 beside 3, 7 beside 8.
      expect(besideSeconds('prefill', computed, { dispatch: 3, combine: 8 }, 0)).toBe(1)
      // One half of a step: 3 beside 4, 6 alone, 4 beside 6.
      expect(besideSeconds('generate', computed, { dispatch: 4, combine: 6 }, 0)).toBe(3)
      // Units that are kept from it slow all that is computed, as long as there is anything to move.
      expect(besideSeconds('prefill', computed, { dispatch: 1, combine: 1 }, 0.5)).toBe(13)
      expect(besideSeconds('prefill', computed, { dispatch: 0, combine: 0 }, 0.5)).toBe(0)
    })

    law(
      'takes no less than with turns that fit, and no more than with one thing after the other',
      100,
      [fc.constantFrom(...phaseModes), layers, ways, share],
      (mode, layer, routed, kept) => {
        const beside = besideSeconds(mode, layer, routed, kept)
        const { dispatch, combine } = routed
        expect(beside).toBeGreaterThanOrEqual(leastBeside(layer, routed) - 1e-9)
        expect(beside).toBeLessThanOrEqual(dispatch + combine + mostBeside(layer, routed, kept) + 1e-9)
      },
    )

    it('takes no less where a part, a way or the share of units is larger', () => {
      const larger = fc.record({ by: seconds, what: fc.constantFrom('dispatch', 'combine') })
      forAll(
        100,
        [fc.constantFrom(...phaseModes), layers, ways, share, larger],
        (mode, layer, routed, kept, more) => {
          const { by, what } = more
          const before = besideSeconds(mode, layer, routed, kept)
          const after = besideSeconds(mode, layer, { ...routed, [what]: routed[what] + by }, kept)
          expect(after).toBeGreaterThanOrEqual(before - 1e-9)
          expect(besideSeconds(mode, layer, routed, Math.min(0.9, kept + 0.1))).toBeGreaterThanOrEqual(before)
        },
      )
    })
  })

  it('are told to the frameworks that have them', () => {
    const { launch, twoBatchOverlap } = evaluated(deepseek(144, generation(144 * 128, 4989), halving), {
      expert: 144,
    })
    expect(twoBatchOverlap).toBe(true)
    const words = (framework: string) => (launch[framework] as readonly string[]).join(' ')
    expect(words('vllm')).toContain('--enable-eplb --eplb-config {"num_redundant_experts":32} --enable-dbo')
    expect(words('vllm')).not.toContain('--dbo-decode-token-threshold')
    expect(words('sglang')).toContain(
      '--enable-eplb --ep-num-redundant-experts 32 --enable-two-batch-overlap',
    )
    expect(launch['tensorrt-llm']).toEqual({ unsupported: [expect.stringContaining('two halves')] })
    const together = evaluated(deepseek(144, generation(144 * 128, 4989)), { expert: 144 }).launch
    expect(together['tensorrt-llm']).toMatchObject({
      moe_config: { backend: 'CUTLASS', load_balancer: { num_slots: 288, layer_updates_per_iter: 1 } },
    })
  })
})
