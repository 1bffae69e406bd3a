/**
 * Searches that are told to stop give answers that are true nevertheless. Time is counted in ticks here, one for each
 * time that the search asks whether to stop.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Constraints } from '../../../src/constraint.ts'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { infer } from '../../../src/infer.ts'
import { optimize } from '../../../src/optimize.ts'
import { never, type Patience } from '../../../src/patience.ts'
import type { NoPlan, SearchAccount } from '../../../src/plan/answer.ts'
import type { ServePlan } from '../../../src/plan/inference-plan.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { ServeWorkload } from '../../../src/problem.ts'
import { forgetAll } from '../../../src/recent.ts'
import { replicasThat } from '../../../src/search/meshes/replicas.ts'
import { serve } from '../../../src/serve.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { problem } from '../../problem.ts'
import { tinyDense } from '../../small-model.ts'

interface Answered {
  readonly hardware: Cluster
  readonly plans: readonly (Plan | ServePlan)[]
  readonly search: SearchAccount
  readonly infeasible: Pick<NoPlan, 'reasons' | 'suggestions'> | null
  readonly warnings: readonly string[]
}

type Question = (patience?: Patience, constraints?: Constraints) => Answered

const small = tinyDense
const experts = { experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 1024, denseLayers: 1, every: 1 }
const batch = { batchTokens: 16 * 4096, sequenceLength: 4096, top: 3 }
const pool = { model: small, chip: 'h100-sxm', chips: 4, top: 2 }
const requests: ServeWorkload = {
  ...{ mode: 'serve', promptLength: 512, outputLength: 60, cachedPrefixLength: 0, disaggregated: 'auto' },
}

const questions: Readonly<Record<string, Question>> = {
  training: (patience, constraints = {}) =>
    optimize(problem({ model: small, chip: 'h100-sxm', chips: 8, ...batch, constraints }), solver, patience),
  'training of layers that differ, on a torus': (patience, constraints = {}) =>
    optimize(
      problem({ model: { ...small, experts }, chip: 'tpu-v5e', topology: [2, 4], ...batch, constraints }),
      solver,
      patience,
    ),
  'training that fits nowhere': (patience, constraints = {}) =>
    optimize(
      problem({ model: small, chip: 'h100-sxm', chips: 2, memoryBudget: 1e9, ...batch, constraints }),
      solver,
      patience,
    ),
  prefill: (patience, constraints = {}) =>
    infer(
      inferenceProblem({
        model: small,
        chip: 'tpu-v5e',
        topology: [2, 4],
        workload: prompts(8, 2048),
        top: 3,
        constraints,
      }),
      solver,
      patience,
    ),
  generation: (patience, constraints = {}) =>
    infer(
      inferenceProblem({
        model: small,
        chip: 'h100-sxm',
        chips: 8,
        workload: generation(24, 2048),
        top: 3,
        constraints,
      }),
      solver,
      patience,
    ),
  'generation for as many as fit': (patience, constraints = {}) =>
    infer(
      inferenceProblem({
        model: small,
        chip: 'tpu-v5e',
        chips: 4,
        workload: generation('max', 2048),
        top: 3,
        constraints,
      }),
      solver,
      patience,
    ),
  'generation that is never fast enough': (patience, constraints = {}) =>
    infer(
      inferenceProblem({
        ...{ model: small, chip: 'h100-sxm', chips: 2, top: 3, constraints },
        workload: generation(8, 2048, { maxStepSeconds: 1e-6 }),
      }),
      solver,
      patience,
    ),
  'a deployment at a rate': (patience) =>
    serve(inferenceProblem({ ...pool, workload: { ...requests, requestsPerSecond: 400 } }), solver, patience),
  'a deployment at its own rate': (patience) =>
    serve(inferenceProblem({ ...pool, workload: requests }), solver, patience),
  'a deployment that is never fast enough': (patience) =>
    serve(
      inferenceProblem({ ...pool, chips: 1, workload: { ...requests, maxTimePerOutputTokenSeconds: 1e-6 } }),
      solver,
      patience,
    ),
}

/** So many ticks in all, of which each part has its share. */
function ticks(all: number) {
  let time = 0
  const patience: Patience = (share) => () => ++time > share * all
  return { patience, passed: () => time }
}

/** Less is better: what plans are ranked by. */
function rankedBy(plan: Plan | ServePlan): number {
  if ('queueing' in plan) return plan.chips
  return 'batchSequences' in plan ? plan.stepTimeSeconds / Number(plan.batchSequences) : plan.stepTimeSeconds
}

const times = (answered: Answered) => JSON.stringify(answered)

describe.each(Object.entries(questions))('a search that is told to stop: %s', (name, asked) => {
  // What is known from before needs no looking at the time.
  const ask: Question = (...given) => {
    forgetAll()
    return asked(...given)
  }
  const whole = ticks(Number.POSITIVE_INFINITY)
  const exact = ask(whole.patience)
  const needed = whole.passed()
  const [first] = exact.plans
  const allChips: Constraints = { chips: exact.hardware.chips }
  const ofAllChips = name.startsWith('a deployment') ? null : ask(whole.patience, allChips).search.enumerated

  it('answers what it would without an end where it never is, and asks often enough to be', () => {
    expect(exact.search.exact).toBe(true)
    expect(exact.search.unexamined).toBe(0)
    expect(times(ask(ticks(3 * needed).patience))).toBe(times(exact))
    expect(needed).toBeGreaterThan(10)
  })

  law(
    'is never better than the best, claims no bound that is, and accounts for all',
    5,
    [fc.integer({ min: 0, max: 2 * needed })],
    (end) => {
      const { plans, search, infeasible, warnings } = ask(ticks(end).patience)
      const { memory, divisibility, topology, constraint } = search.infeasible
      const looked = search.pruned + search.evaluated + memory + divisibility + topology + constraint
      expect(looked + search.unexamined).toBe(search.enumerated)
      expect(search.unexamined).toBeGreaterThanOrEqual(0)
      if (ofAllChips !== null) {
        const { enumerated } = ask(ticks(end).patience, allChips).search
        // Of training a mesh that there was no time to list counts as one layout.
        if (name.startsWith('training')) expect(enumerated).toBeLessThanOrEqual(ofAllChips)
        else expect(enumerated).toBe(ofAllChips)
      }
      expect(search.unbegun).toBeLessThanOrEqual(search.unexamined)
      const cut = warnings.filter((text) => text.startsWith('time ran out'))
      expect(cut.length).toBe(search.unexamined > 0 ? 1 : 0)
      if (search.unbegun > 0) expect(cut.join()).toContain(`each of ${search.unbegun} meshes or smaller`)
      if (search.gap && search.unexamined > 0)
        expect(cut.join()).toContain(`${(search.gap * 100).toFixed(1)} % worse`)
      if (search.exact) expect(search.unexamined).toBe(0)
      else expect(infeasible).toBeNull()
      const [best] = plans
      if (infeasible) {
        expect(first).toBeUndefined()
        expect(infeasible.reasons.length).toBeGreaterThan(0)
      }
      if (!best) return
      if (!first) throw new Error('nothing fits, and something was found')
      if (search.exact) expect(plans).toEqual(exact.plans.slice(0, plans.length))
      // Without a rate deployments are ranked by what a chip sustains, of which nothing is proven.
      if (name === 'a deployment at its own rate') return
      expect(rankedBy(best)).toBeGreaterThanOrEqual(rankedBy(first) * (1 - 1e-9))
      if (search.gap === null) return
      expect(search.gap).toBeGreaterThanOrEqual(0)
      expect(rankedBy(best) / (1 + search.gap)).toBeLessThanOrEqual(rankedBy(first))
      if ('queueing' in best || search.lowerBoundSeconds === null) return
      expect(best.stepTimeSeconds / search.lowerBoundSeconds - 1).toBeCloseTo(search.gap, 12)
    },
  )

  it.runIf(first && name.startsWith('training'))(
    'counts the numbers of chips that it did not come to',
    () => {
      const ends = [0.9, 0.7, 0.5, 0.35].map((share) => ask(ticks(share * needed).patience).search)
      const left = ends.filter(({ unbegun }) => unbegun > 1)
      for (const { unbegun, exact } of left) {
        expect(exact).toBe(false)
        expect(unbegun).toBeLessThan(needed)
      }
      expect(left.length).toBeGreaterThan(0)
    },
  )

  it.runIf(first)('has something to show before it is at its end', () => {
    const ends = [0.5, 0.8, 1.1, 1.4, 0.35, 0.2].map((share) => share * needed)
    const some = ends.some((end) => {
      const { plans, search } = ask(ticks(end).patience)
      return plans.length > 0 && !search.exact
    })
    expect(some).toBe(true)
  })
})

/** Meshes without number: what is listed by a part of the time is searched by another. */
describe('of 14 million ways to share out chips, with time to look at some thousands', () => {
  const vast = { model: { ...small, experts }, chip: 'h100-sxm', chips: 720_720, top: 3 }
  const asks: Readonly<Record<string, Question>> = {
    prefill: (patience) =>
      infer(inferenceProblem({ ...vast, workload: prompts(1e6, 8192) }), solver, patience),
    generation: (patience) =>
      infer(inferenceProblem({ ...vast, workload: generation(1e6, 4096) }), solver, patience),
  }

  it.each(Object.entries(asks))('%s has plans, and says that there may be better', (_name, ask) => {
    const { patience, passed } = ticks(8000)
    const { plans, search } = ask(patience)
    expect(plans.length).toBeGreaterThan(0)
    expect(search.exact).toBe(false)
    expect(search.unexamined).toBeGreaterThan(1000)
    // Once it is told to stop it looks at no more than it has listed.
    expect(passed()).toBeLessThan(40_000)
  })
})

describe('replicas of a million chips', () => {
  const asked = problem({
    ...{ model: small, chip: 'h100-sxm', chips: 1_000_000, batchTokens: 2 ** 30, sequenceLength: 2 ** 20 },
  })
  const replicas = (contexts: readonly number[] | null) => {
    let asks = 0
    const spacesOf = () => {
      asks++
      return [0]
    }
    return { ...replicasThat(asked, { spacesOf, contexts }), asks: () => asks }
  }

  it('are not listed where context may be of any size', () => {
    const { unpiped, asks } = replicas(null)
    expect(unpiped(1_000_000, never)).toBeNull()
    expect(asks()).toBe(0)
  })

  it('are listed where it may have few', () => {
    const { unpiped, asks } = replicas([1, 2, 7, 2 ** 19])
    const found = [...(unpiped(1_000_000, never)?.values() ?? [])].flat()
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map(({ mesh }) => mesh.context))).toEqual(new Set([1, 2, 7, 2 ** 19]))
    expect(asks()).toBeLessThan(100)
  })

  it('are no longer listed than there is time', () => {
    let asks = 0
    expect(replicas([1, 2, 7, 2 ** 19]).unpiped(1_000_000, () => ++asks === 3)).toBeNull()
    expect(asks).toBe(3)
  })
})
