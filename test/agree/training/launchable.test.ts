import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { frameworks } from '../../../src/launch/framework.ts'
import { launchable } from '../../../src/launch/training.ts'
import { optimize } from '../../../src/optimize.ts'
import { meshKey } from '../../../src/sharding/axis.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { search } from '../../search.ts'
import { tinyDense } from '../../small-model.ts'
import { enumeration } from './enumeration.ts'

const solver = javascriptLpSolver

const small = tinyDense
const experts = { experts: 8, activeExperts: 2, sharedExperts: 0, dFfExpert: 1024, denseLayers: 0, every: 1 }

const questions: readonly (readonly [string, Omit<ProblemOptions, 'batchTokens' | 'sequenceLength'>])[] = [
  ['a dense model on 8 GPUs', { model: small, chip: 'h100-sxm', chips: 8 }],
  ['the same with little memory', { model: small, chip: 'h100-sxm', chips: 8, memoryBudget: 2.1e9 }],
  ['a mixture on 16 GPUs', { model: { ...small, experts }, chip: 'h100-sxm', chips: 16 }],
  ['a dense model on a torus', { model: small, chip: 'tpu-v5e', topology: [2, 4] }],
  ['the same with little memory', { model: small, chip: 'tpu-v5e', topology: [2, 4], memoryBudget: 4e9 }],
]

describe('the search for plans that can be launched', () => {
  it.each(questions)('finds of each mesh the best that trying all of them finds: %s', (_, options) => {
    const made = problem({
      ...options,
      ...{ batchTokens: 16 * 4096, sequenceLength: 4096 },
      assumptions: { basis: 'calibrated', frameworks },
    })
    const model = costModel({ ...made, top: 1000 })
    const accepts = launchable(model)
    if (!accepts) throw new Error('frameworks are assumed')
    const best = new Map(
      enumeration(model, { accepts }).ranking.map(({ mesh, score }) => [meshKey(mesh), score]),
    )
    const found = search(model, accepts)
    expect(found.candidates.length).toBeGreaterThan(3)
    expect(found.candidates.map(({ mesh }) => meshKey(mesh)).sort()).toEqual([...best.keys()].sort())
    for (const { mesh, score: value } of found.candidates) {
      expect(value / (best.get(meshKey(mesh)) ?? 0)).toBeCloseTo(1, 9)
    }
    const { enumerated, pruned, evaluated, infeasible } = found
    const { memory, divisibility, topology, constraint } = infeasible
    expect(pruned + evaluated + memory + divisibility + topology + constraint).toBe(enumerated)
  })

  it.each(
    questions,
  )('lists plans with flags of a framework, or of the one that is named: %s', (_, options) => {
    const named = options.chip.startsWith('tpu') ? ['maxtext'] : ['megatron', 'torchtitan', 'maxtext']
    for (const framework of frameworks.filter((name) => named.includes(name))) {
      const made = problem({
        ...options,
        ...{ batchTokens: 16 * 4096, sequenceLength: 4096 },
        assumptions: { basis: 'calibrated', frameworks: [framework] },
      })
      const { plans, warnings } = optimize(made, solver)
      const flags = plans.map(({ launch }) => launch[framework])
      if (warnings.some((warning) => /can(not)? launch a plan|no flags are written/.test(warning))) continue
      expect(flags.length).toBeGreaterThan(0)
      for (const own of flags) expect(own).not.toHaveProperty('unsupported')
    }
  })

  it('lists what fits all the same where no framework can launch it, and warns', () => {
    const made = problem({
      ...{ model: { ...small, parallelBlocks: true }, chip: 'tpu-v5e', topology: [2, 4] },
      ...{ batchTokens: 16 * 4096, sequenceLength: 4096 },
      assumptions: { basis: 'calibrated', frameworks },
    })
    const { plans, warnings } = optimize(made, solver)
    expect(plans.length).toBeGreaterThan(0)
    expect(warnings.join()).toContain('can launch a plan for this request')
  })
})
