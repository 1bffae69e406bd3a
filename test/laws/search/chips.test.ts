/** A search uses as many chips as help: more chips never hurt, and no plan on fewer is lost. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { onCluster } from '../../../src/cost/posed.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { chipsAsked } from '../../../src/hardware/cluster/cluster.ts'
import { fewerChips, partsOf } from '../../../src/hardware/cluster/fewer-chips.ts'
import { infer } from '../../../src/infer.ts'
import { inferenceModel, inferenceOn } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { searchPhaseParts } from '../../../src/inference/search-parts.ts'
import { servable } from '../../../src/launch/servable.ts'
import { launchable } from '../../../src/launch/training.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Objective, PhaseProblem, Problem } from '../../../src/problem.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { meshSize } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { forAll, law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { search } from '../../search.ts'

const model = spelledOut('small', {
  ...{ layers: 6, dModel: 1024, dFf: 4096, heads: 12, kvHeads: 4, headDim: 64, vocab: 32_000 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
})

const nvlinkOfSix = {
  tiers: [
    {
      ...{ name: 'nvlink', size: 6, bytesPerSecondPerChip: 9e11 },
      latencySeconds: 1e-6,
      inNetworkReduction: true,
    },
    {
      ...{ name: 'leaf', size: null, bytesPerSecondPerChip: 1e10 },
      latencySeconds: 4e-6,
      inNetworkReduction: false,
    },
  ],
}

/** The first of a pair has a part of the chips of the second. */
const machines = fc.oneof(
  fc
    .record({
      pair: fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 14 })),
      network: fc.constantFrom(undefined, nvlinkOfSix),
    })
    .map(({ pair, network }) =>
      pair
        .sort((a, b) => a - b)
        .map((chips) => ({ chip: 'h100-sxm', chips, ...(network ? { network } : {}) })),
    ),
  fc
    .constantFrom(
      [
        [2, 2],
        [2, 4],
      ],
      [
        [2, 4],
        [4, 4],
      ],
    )
    .map((pair) => pair.map((topology) => ({ chip: 'tpu-v5e', topology }))),
  fc.constant([1, 3].map((slices) => ({ chip: 'tpu-v5e', topology: [2, 4], slices }))),
)

type Machine = ReturnType<typeof machines.generate>['value'][number]

const trainings = fc.record({
  sequences: fc.constantFrom(3, 8, 10),
  sequenceLength: fc.constantFrom(1024, 4096),
  assumptions: fc.constantFrom('calibrated' as const, 'book' as const),
  memoryFraction: fc.constantFrom(0.9, 0.04),
})

function training(
  { sequences, ...asked }: typeof trainings extends fc.Arbitrary<infer Asked> ? Asked : never,
  on: Machine,
): Problem {
  const batchTokens = sequences * asked.sequenceLength
  return problem({ ...asked, ...on, model, batchTokens, constraints: { virtualStages: 1 }, top: 4 })
}

const phases = fc.record({
  workload: fc.constantFrom(
    generation(1, 2048),
    generation(7, 2048),
    generation(64, 2048),
    generation('max', 2048),
    prompts(1, 700),
    prompts(6, 2048),
  ),
  objective: fc.constantFrom<Objective>('stepTime', 'throughputPerChip', 'costPerToken', 'latency'),
  assumptions: fc.constantFrom('calibrated' as const, 'book' as const),
})

function phase(
  asked: typeof phases extends fc.Arbitrary<infer Asked> ? Asked : never,
  on: Machine,
): PhaseProblem {
  return inferenceProblem({ ...asked, ...on, model, top: 3 }) as PhaseProblem
}

/** How many sequences fit is asked of all the chips. */
function filled({ workload, objective }: PhaseProblem): boolean {
  return workload.mode === 'generate' && workload.batchSequences === 'max' && objective === 'latency'
}

const rounding = 1 + 1e-9

describe('more chips', () => {
  it('never make the best step of training longer', () => {
    let idle = 0
    forAll(12, [trainings, machines], (asked, pair) => {
      const [few, many] = pair.map((on) => training(asked, on))
      if (!few || !many) return
      const best = (of: Problem) => searchAll(contextModels(of), 1, launchable).candidates[0]
      const [of, all] = [best(few), best(many)]
      if (!of) return
      expect(all?.score).toBeLessThanOrEqual(of.score * rounding)
      if (all && all.cluster.chips < many.cluster.chips) idle++
    })
    expect(idle).toBeGreaterThan(0)
  })

  it('never make the best plan of prefill or generation score worse, whatever is aimed at', () => {
    let idle = 0
    forAll(12, [phases, machines], (asked, pair) => {
      const [few, many] = pair.map((on) => phase(asked, on))
      if (!few || !many || filled(few)) return
      const best = (of: PhaseProblem) =>
        searchPhaseParts(inferenceModel(of, servable(of)), of, { phaseOf, servable }).candidates[0]
      const [of, all] = [best(few), best(many)]
      if (!of) return
      expect(all?.score).toBeLessThanOrEqual(of.score * rounding)
      if (all && all.cluster.chips < many.cluster.chips) idle++
    })
    expect(idle).toBeGreaterThan(0)
  })
})

describe('the plans that leave chips idle', () => {
  law(
    'are those of every part of the cluster that are faster than all plans of the whole',
    5,
    [trainings, machines, fc.integer({ min: 1, max: 5 })],
    (asked, [, on], top) => {
      const given = { ...training(asked, on as Machine), top: 1000 }
      const models = contextModels(given)
      const scores = (part: Problem['cluster']) =>
        models.flatMap((own) => {
          const there = onCluster(own, part)
          return search(there, launchable(there)).candidates
        })
      const whole = scores(given.cluster)
      const best = Math.min(...whole.map(({ score }) => score))
      const fewer = [...fewerChips(given.cluster)].flatMap(scores).filter(({ score }) => score < best)
      const of = new Map<string, number>()
      for (const { mesh, score } of [...whole, ...fewer]) {
        const key = Object.values(mesh).join()
        of.set(key, Math.min(score, of.get(key) ?? Number.POSITIVE_INFINITY))
      }
      const expected = [...of.values()].sort((a, b) => a - b).slice(0, top)
      const found = searchAll(models, top, launchable).candidates.map(({ score }) => score)
      expect(found.length).toBe(expected.length)
      found.forEach((score, at) => {
        expect(score / (expected[at] ?? Number.NaN)).toBeCloseTo(1, 9)
      })
    },
  )

  law('are so in inference', 10, [phases, machines], (asked, [, on]) => {
    const given = phase(asked, on as Machine)
    if (filled(given)) return
    const own = inferenceModel(given, servable(given))
    const best = [given.cluster, ...fewerChips(given.cluster)].map((cluster) => {
      const there = inferenceOn(own, { ...given, cluster }, own.servable && servable({ ...given, cluster }))
      const [first] = searchPhase(phaseOf(there, { ...given, cluster }), 1).candidates
      return first?.score ?? Number.POSITIVE_INFINITY
    })
    const [first] = searchPhaseParts(own, given, { phaseOf, servable }).candidates
    const least = Math.min(...best)
    if (!first) expect(least).toBe(Number.POSITIVE_INFINITY)
    else expect(first.score / least).toBeCloseTo(1, 9)
  })

  law(
    'say how many chips they take, and are evaluated as they were found',
    3,
    [trainings, phases, machines],
    (asked, other, [, on]) => {
      const given = training(asked, on as Machine)
      const question = phase(other, on as Machine)
      const { chips } = given.cluster
      const { plans, search: account } = optimize(given, solver)
      const { pruned, evaluated, infeasible } = account
      expect(account.enumerated).toBe(
        Object.values(infeasible).reduce((sum, count) => sum + count, pruned + evaluated),
      )
      for (const plan of plans) {
        expect(plan.chips).toBe(meshSize(plan.mesh))
        expect(plan.chips + plan.idleChips).toBe(chips)
        expect(plan.tokensPerSecondPerChip * chips).toBeCloseTo(plan.tokensPerSecond, 3)
        expect(plan.explanation.some((text) => text.includes('idle'))).toBe(plan.idleChips > 0)
        const again = evaluate(
          given,
          { mesh: plan.mesh, contextLayout: plan.contextLayout ?? undefined } as never,
          solver,
        )
        if (!('plan' in again)) throw new Error(JSON.stringify(again))
        expect(again.plan.stepTimeSeconds).toBeLessThanOrEqual(plan.stepTimeSeconds * rounding)
        expect(again.plan.idleChips).toBe(plan.idleChips)
        expect(again.warnings.some((text) => text.includes('idle'))).toBe(plan.idleChips > 0)
      }
      for (const plan of infer(question, solver).plans) {
        expect([plan.chips, plan.chips + plan.idleChips]).toEqual([meshSize(plan.mesh), chips])
        const { mesh, batchSequences } = plan
        const again = evaluateInference(
          question,
          { mesh, batchSequences, layout: plan.layout.components },
          solver,
        )
        if (!('plan' in again)) throw new Error(JSON.stringify(again))
        expect(again.plan.stepTimeSeconds).toBeLessThanOrEqual(plan.stepTimeSeconds * rounding)
      }
    },
  )
})

describe('parts of a cluster', () => {
  law('have fewer chips, count the idle ones, and are found by their number', 100, [machines], ([, on]) => {
    const { cluster } = training(
      { sequences: 3, sequenceLength: 1024, assumptions: 'book', memoryFraction: 0.9 },
      on as Machine,
    )
    const parts = [...fewerChips(cluster)]
    for (const [at, part] of parts.entries()) {
      expect(part.chips).toBeLessThan(cluster.chips)
      expect(part.chips).toBeLessThanOrEqual(parts[at - 1]?.chips ?? cluster.chips)
      expect(chipsAsked(part)).toBe(cluster.chips)
      expect(partsOf(cluster, part.chips)).toContainEqual(part)
    }
  })

  it('of two NVL72 are 64 chips of each, or of one 64 in a row', () => {
    const { cluster } = problem({
      chip: 'gb200-nvl72',
      chips: 144,
      model,
      batchTokens: 1024,
      sequenceLength: 1024,
    })
    const units = partsOf(cluster, 128).map(
      ({ network }) => network.kind === 'switched' && network.tiers[0]?.size,
    )
    expect(units).toEqual([72, 64])
    expect(partsOf(cluster, 145)).toEqual([])
  })
})

describe('constraints', () => {
  it('on the axes may leave chips idle, and on the chips say how many', () => {
    const asked = { chip: 'h100-sxm', chips: 16, model, batchTokens: 65_536, sequenceLength: 4096, top: 1 }
    const used = (constraints: Problem['constraints']) =>
      optimize(problem({ ...asked, constraints }), solver).plans.map(({ chips, idleChips }) => [
        chips,
        idleChips,
      ])
    expect(used({ data: 4, tensor: 1, pipeline: 1, context: 1, fsdp: 1 })).toEqual([[4, 12]])
    expect(used({ chips: { max: 10 } })[0]?.[0]).toBeLessThanOrEqual(10)
    expect(used({ chips: 16 })).toEqual([[16, 0]])
    expect(used({ chips: 17 })).toEqual([])
  })
})
