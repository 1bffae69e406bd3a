/**
 * The layouts of PaLM 540B on 64 TPU v4 (4 x 4 x 4) that "Efficiently Scaling Transformer Inference" (Pope et al. 2022,
 * arXiv 2211.05102, tables 2 and 3) used are the best among plans of the same kind, with neither stages nor a context
 * axis, or as good as the best.
 */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type {
  GenerateWorkload,
  InferenceProblem,
  PhaseProblem,
  PrefillWorkload,
} from '../../../src/problem.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import {
  generation,
  type InferenceOptions,
  inferenceProblem,
  prompts,
  solver,
} from '../../inference-problem.ts'
import { legal } from '../../legal.ts'

function palm<Workload extends GenerateWorkload | PrefillWorkload>(
  workload: Workload,
  more: Partial<InferenceOptions<Workload>> = {},
): InferenceProblem<Workload> {
  return inferenceProblem({
    model: 'palm-540b',
    chip: 'tpu-v4',
    topology: [4, 4, 4],
    constraints: { pipeline: 1, context: 1 },
    // The authors' own framework ran it.
    assumptions: { basis: 'calibrated', frameworks: [] },
    top: 1,
    workload,
    ...more,
  })
}

function best(problem: PhaseProblem): InferencePlan {
  const [plan] = infer(problem, solver).plans
  if (!plan) throw new Error('Nothing fits')
  return plan
}

const int8 = { precision: { weights: 'int8' } } as const

describe('PaLM 540B on 64 TPU v4', () => {
  it('generates for 64 sequences with 2D weight-stationary projections and caches over the batch', () => {
    const { layout, mesh } = best(palm(generation(64, 2048), int8))
    expect(layout.components.block).toBe('2d/batch')
    expect([mesh.tensor, mesh.tensor2]).toEqual([16, 4])
  })

  it('generates for 512 sequences in the same layout', () => {
    expect(best(palm(generation(512, 2048))).layout.components.block).toBe('2d/batch')
  })

  it('reads one prompt, within 2 % of the best, with 2D weight-stationary projections and caches over the heads', () => {
    // The 1D layout spends a quarter less on its collectives here and an eighth more on its thinner matrices; the paper timed 2D alone.
    const problem = palm(prompts(1, 2048), int8)
    const mesh = { ...unitMesh, tensor: 16, tensor2: 4 }
    const asRun = legal(evaluateInference(problem, { mesh, layout: { block: '2d/heads' } }, solver)).plan
    const first = best(problem)
    expect(first.layout.components.block).toMatch(/heads$/)
    expect(asRun.stepTimeSeconds).toBeGreaterThanOrEqual(first.stepTimeSeconds)
    expect(asRun.stepTimeSeconds).toBeLessThan(1.02 * first.stepTimeSeconds)
  })

  it('reads 512 prompts with weights gathered over all chips, as the paper does, and caches over the batch', () => {
    const { layout, mesh } = best(palm(prompts(512, 2048)))
    expect(layout.components.block).toBe('gathered-all/batch')
    expect(mesh.tensor * mesh.tensor2).toBe(64)
  })
})
