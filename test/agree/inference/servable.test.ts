/** Everything that inference lists can be served, and the best is the best that can: compared with asking this of every plan. */

import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { partsOf } from '../../../src/hardware/cluster/fewer-chips.ts'
import { infer } from '../../../src/infer.ts'
import type { Offered } from '../../../src/inference/layout/compiled-layout.ts'
import { offeredLayouts } from '../../../src/inference/layout/layout-question.ts'
import { onePass } from '../../../src/inference/layout/served.ts'
import { type InferenceModel, inferenceModel, inferenceOn } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { candidateOf, sitesOf } from '../../../src/inference/sites.ts'
import { servable } from '../../../src/launch/servable.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { assembleInference } from '../../../src/plan/inference/assemble.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { recent } from '../../../src/recent.ts'
import { meshKey } from '../../../src/sharding/axis.ts'
import {
  generation,
  type InferenceOptions,
  inferenceProblem,
  prompts,
  solver,
} from '../../inference-problem.ts'
import { sketchedPass } from '../../laws/plan/sketched-plan.ts'
import { legal } from '../../legal.ts'
import { smallDense } from '../../small-model.ts'

const small = { ...smallDense, layers: 4 }
const sparse = { experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 4096, denseLayers: 0, every: 1 }

type Asked = InferenceOptions<PhaseProblem['workload']>

const questions: readonly (readonly [string, Asked])[] = [
  [
    'generation of a dense model on GPUs',
    { model: small, chip: 'h100-sxm', chips: 8, workload: generation(16, 4096) },
  ],
  [
    'generation with experts, where copies of attention may not fit',
    {
      model: { ...small, dModel: 4096, experts: sparse },
      ...{ chip: 'h100-sxm', chips: 8, memoryBudget: 7.4e9, workload: generation(16, 8192) },
    },
  ],
  [
    'generation with experts over PCIe, where none can be sent tokens',
    { model: { ...small, experts: sparse }, chip: 'l40s', chips: 4, workload: generation(16, 4096) },
  ],
  [
    'generation on a torus',
    { model: small, chip: 'tpu-v5e', topology: [2, 4], workload: generation(16, 4096) },
  ],
  [
    'generation on chips of two devices, where servers shard twice as far',
    { model: small, chip: 'tpu-7x', topology: [1, 2, 2], workload: generation(16, 4096) },
  ],
  [
    'prefill on a torus',
    {
      ...{ model: small, chip: 'tpu-v5e', topology: [2, 2], workload: prompts(4, 2048) },
      constraints: { pipeline: 1 },
    },
  ],
  [
    'prefill by MaxText alone, of one prompt at a time',
    {
      ...{ model: small, chip: 'tpu-v5e', topology: [2, 2], workload: prompts(4, 2048) },
      constraints: { pipeline: 1 },
      assumptions: { basis: 'calibrated', frameworks: ['maxtext'] },
    },
  ],
]

function combinations(offered: Offered): Offered {
  return offered.reduce<Offered>(
    (found, own) => found.flatMap((before) => own.map((layout) => [...before, layout])),
    [[]],
  )
}

/** By mesh the least time of a plan whose launch has flags. */
function served(model: InferenceModel, problem: PhaseProblem): ReadonlyMap<string, number> {
  const phase = phaseOf(model, problem)
  const best = new Map<string, number>()
  for (const mesh of phase.meshes.allowed) {
    for (const layouts of combinations(offeredLayouts(model, mesh))) {
      for (const site of sitesOf(model, mesh, {}, [layouts.map((layout) => [layout])])) {
        for (const pass of phase.passes(site)) {
          const found = candidateOf(phase.bench, site, pass, phase.score)
          if (!found || found.score >= (best.get(meshKey(mesh)) ?? Number.POSITIVE_INFINITY)) continue
          const { launch } = assembleInference(model, phase, found, 1, null)
          const flags = problem.assumptions.frameworks.some((name) => isLaunched(launch[name]))
          if (flags) best.set(meshKey(mesh), found.score)
        }
      }
    }
  }
  return best
}

function isLaunched(flags: unknown): boolean {
  return flags !== undefined && !(typeof flags === 'object' && flags !== null && 'unsupported' in flags)
}

describe.each(questions)('%s', (_, asked) => {
  const problem = inferenceProblem(asked) as PhaseProblem

  it('finds of each mesh the best that can be served', () => {
    const all = served(inferenceModel(problem), problem)
    const model = inferenceModel(problem, servable(problem))
    const { candidates } = searchPhase(phaseOf(model, problem), Number.POSITIVE_INFINITY)
    expect(candidates.length).toBeGreaterThan(0)
    const best = new Map(candidates.map(({ mesh, score }) => [meshKey(mesh), score]))
    for (const [mesh, score] of best) expect(score / (all.get(mesh) ?? 0)).toBeCloseTo(1, 9)
    // Of meshes that differ by name alone one is listed.
    const least = (scores: Iterable<number>) => Math.min(...scores)
    expect(least(best.values()) / least(all.values())).toBeCloseTo(1, 9)
  })

  it('is answered as it is listed, by its mesh or whole, and the best that cannot be served beside it', () => {
    const { plans, unlaunchable } = infer(problem, solver)
    const evaluated = (sketch: Parameters<typeof evaluateInference>[1]) => {
      return legal(evaluateInference(problem, sketch, solver)).plan
    }
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(problem.assumptions.frameworks.some((name) => isLaunched(plan.launch[name]))).toBe(true)
      expect(evaluated({ mesh: plan.mesh, layout: {} }).id).toBe(plan.id)
      expect(evaluated(sketchedPass(plan)).id).toBe(plan.id)
    }
    if (!unlaunchable) return
    expect(evaluated(sketchedPass(unlaunchable.plan)).id).toBe(unlaunchable.plan.id)
    expect(unlaunchable.advantage).toBeGreaterThan(1)
    for (const sentences of Object.values(unlaunchable.reasons)) expect(sentences).not.toEqual([])
  })
})

const onNodes: readonly [Asked, ...Asked[]] = [
  { model: small, chip: 'h100-sxm', chips: 48, workload: generation(48, 4096) },
  { model: { ...small, experts: sparse }, chip: 'h100-sxm', chips: 32, workload: generation(32, 4096) },
  { model: { ...small, experts: sparse }, chip: 'l40s', chips: 16, workload: prompts(16, 4096) },
  { model: { ...small, experts: sparse }, chip: 'gb200-nvl72', chips: 36, workload: generation(36, 4096) },
  { model: small, chip: 'tpu-v5e', topology: [4, 4], workload: generation(16, 4096) },
]

it.each(onNodes)('A replica is offered on fewer chips what it is offered there alone: $chip', (asked) => {
  const problem = inferenceProblem(asked) as PhaseProblem
  const whole = inferenceModel(problem, servable(problem))
  let compared = 0
  for (const part of partsWithin(problem)) {
    const kept = phaseOf(inferenceOn(whole, part, servable(part)), part)
    for (const mesh of kept.meshes.allowed) {
      const model = { ...inferenceModel(part, servable(part)), offers: recent<readonly Offered[]>(1) }
      const alone = phaseOf(model, part)
      expect(names(kept.offers(mesh)), `${part.cluster.chips} ${meshKey(mesh)}`).toEqual(
        names(alone.offers(mesh)),
      )
      compared++
    }
  }
  expect(compared).toBeGreaterThan(20)
})

it('A replica is asked about once on all numbers of like nodes', () => {
  const [first] = onNodes
  // No other test of this process asks about such a model.
  const problem = inferenceProblem({ ...first, model: { ...small, layers: 6 } }) as PhaseProblem
  let [meshes, asked] = [0, 0]
  for (const part of partsWithin(problem)) {
    const own = servable(part)
    let runs = 0
    const counted = own && {
      ...own,
      runs: (...told: Parameters<typeof own.runs>) => {
        runs++
        return own.runs(...told)
      },
    }
    const { offers, meshes: listed } = phaseOf(inferenceModel(part, counted), part)
    for (const mesh of listed.allowed) {
      const before = runs
      offers(mesh)
      meshes++
      if (runs > before) asked++
    }
  }
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThan(meshes / 2)
})

it.each(onNodes)('Of a setting servers read nothing but what their answers are kept by: $chip', (asked) => {
  const problem = inferenceProblem(asked) as PhaseProblem
  const read = new Set<PropertyKey>()
  const watched = new Proxy(problem, {
    get: (of, name) => {
      read.add(name)
      return Reflect.get(of, name)
    },
  })
  const able = servable(problem)
  const { mode } = problem.workload
  const model = inferenceModel(problem)
  for (const mesh of phaseOf(model, problem).meshes.allowed) {
    for (const layouts of combinations(offeredLayouts(model, mesh))) {
      able?.runs(watched, { mode, mesh, layouts, pass: onePass(4, false, 2) })
    }
  }
  expect([...read].filter((name) => !keptBy.has(name))).toEqual([])
  expect(read.size).toBeGreaterThan(2)
})

/** Of the cluster only its chip and what `host` says. */
const keptBy = new Set<PropertyKey>(['model', 'precision', 'assumptions', 'cluster', 'checkpoints'])

function partsWithin(problem: PhaseProblem): readonly PhaseProblem[] {
  const { cluster } = problem
  const counts = Array.from({ length: cluster.chips }, (_, left) => cluster.chips - left)
  return counts.flatMap((chips) => partsOf(cluster, chips).map((part) => ({ ...problem, cluster: part })))
}

function names(offers: readonly Offered[]) {
  return offers.map((offered) => offered.map((options) => options.map(({ name }) => name)))
}
