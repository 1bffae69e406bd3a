/**
 * Communication on the critical path is hidden only where a matmul can send its output piece by piece; experts pay for
 * sorting rows and for small matmuls.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { PhaseProblem, Precision } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

function stepTime(
  model: string,
  mesh: Partial<Mesh>,
  assumptions: Partial<Assumptions>,
  sketch: Partial<PlanSketch> = {},
): number {
  const chips = Object.values(mesh).reduce((product, size) => product * size, 1)
  const asked = problem({
    ...{
      model,
      chip: 'h100-sxm',
      chips,
      batchTokens: chips * 8192,
      sequenceLength: 8192,
      memoryFraction: 100,
    },
    assumptions: { basis: 'calibrated', ...assumptions },
  })
  const plan = { mesh: { ...unitMesh, ...mesh }, zeroStage: 1 as const, rematerialization: 'none', ...sketch }
  const answer = evaluate(asked, plan, javascriptLpSolver)
  if (!('plan' in answer)) throw new Error(JSON.stringify(answer))
  return answer.plan.stepTimeSeconds
}

const hidden = { overlapCriticalPath: 0.9 }
const waited = { overlapCriticalPath: 0 }

describe('what is waited for', () => {
  it('hides of tensor parallelism inside a node, and not across nodes', () => {
    const within = { tensor: 8, data: 4 }
    const across = { tensor: 16, data: 2 }
    expect(stepTime('gpt-3-175b', within, hidden)).toBeLessThan(0.99 * stepTime('gpt-3-175b', within, waited))
    expect(stepTime('gpt-3-175b', across, hidden)).toBe(stepTime('gpt-3-175b', across, waited))
  })

  it('is all of keys and heads over context', () => {
    for (const contextLayout of ['gather', 'ulysses'] as const) {
      const mesh = { context: 4, data: 2 }
      const time = (assumptions: Partial<Assumptions>) =>
        stepTime('llama-3-8b', mesh, assumptions, { contextLayout })
      expect(time(hidden)).toBe(time(waited))
      expect(time({ overlapExchange: 0.9 })).toBeLessThan(time({}))
    }
  })

  it('takes no longer, the more of it hides', () => {
    const shares = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    const meshes = fc.constantFrom<Partial<Mesh>>(
      { tensor: 16 },
      { tensor: 8, context: 2 },
      { context: 8, data: 2 },
      { tensor: 2, data: 8 },
    )
    forAll(8, [meshes, shares], (mesh, [a, b]) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)]
      for (const name of ['overlapExchange', 'overlapCriticalPath'] as const) {
        const time = (share: number) => stepTime('llama-3-8b', mesh, { [name]: share })
        expect(time(more)).toBeLessThanOrEqual(time(less) * (1 + 1e-12))
      }
    })
  })
})

describe('experts', () => {
  const mesh = { expert: 8 }
  const time = (assumptions: Partial<Assumptions>, model = 'qwen3-30b-a3b') =>
    stepTime(model, mesh, assumptions)

  it('pay for rows that are sorted, once per layer for what they wait, and for each matmul that is small', () => {
    expect(time({ expertElementwiseFactor: 4 })).toBeGreaterThan(time({ expertElementwiseFactor: 2 }))
    expect(time({ groupedMatmulSeconds: 1e-4 })).toBeGreaterThan(time({ groupedMatmulSeconds: 0 }))
    const layers = 48
    const waits = time({ expertLayerOverheadSeconds: 1e-3 }) - time({ expertLayerOverheadSeconds: 0 })
    expect(waits).toBeGreaterThanOrEqual(2 * layers * 1e-3 * (1 - 1e-9))
  })

  it('alone do', () => {
    const dense = (assumptions: Partial<Assumptions>) => stepTime('llama-3-8b', { data: 8 }, assumptions)
    expect(dense({ expertElementwiseFactor: 4, groupedMatmulSeconds: 1e-3 })).toBe(dense({}))
  })
})

describe('a pass of inference', () => {
  interface Asked {
    readonly model?: string
    readonly chip?: string
    readonly mesh?: Partial<Mesh>
    readonly workload?: PhaseProblem['workload']
    readonly precision?: Partial<Precision>
  }

  function plan(
    {
      model = 'qwen3-30b-a3b',
      chip = 'h100-sxm',
      mesh = {},
      workload = prompts(8, 1024),
      precision = {},
    }: Asked,
    assumptions: Partial<Assumptions>,
  ): InferencePlan {
    const asked = inferenceProblem({
      ...{ model, chip, workload, precision },
      chips: Object.values(mesh).reduce((product, size) => product * size, 1),
      assumptions: { basis: 'calibrated', ...assumptions },
    }) as PhaseProblem
    return legal(evaluateInference(asked, { mesh: { ...unitMesh, ...mesh }, layout: {} }, javascriptLpSolver))
      .plan
  }

  const passTime = (asked: Asked, assumptions: Partial<Assumptions>) =>
    plan(asked, assumptions).stepTimeSeconds

  it('casts rows of experts where their matmuls take less than is kept, and nothing else', () => {
    const { cluster, assumptions } = problem({
      ...{ model: 'qwen3-30b-a3b', chip: 'h100-sxm', chips: 1, batchTokens: 1, sequenceLength: 1 },
      assumptions: 'calibrated',
    })
    // The layers' copies of a token, as they enter the experts and between their matmuls: read in bf16, written in fp8.
    const perToken = 48 * 8 * (2048 + 768) * (2 + 1)
    const perByte = 1 / (cluster.chip.hbmBytesPerSecond * assumptions.hbmEfficiency)
    const more = (model: string, workload: PhaseProblem['workload'], compute: 'bf16' | 'fp8') => {
      const { streaming } = plan({ model, workload, precision: { compute } }, {})
      const bare = plan({ model, workload, precision: { compute } }, { elementwise: false })
      return streaming.activationsSeconds - bare.streaming.activationsSeconds
    }
    forAll(4, [fc.integer({ min: 1, max: 40 }), fc.boolean()], (count, prefill) => {
      const workload = prefill ? prompts(count, 512) : generation(count, 2000)
      const casts = (prefill ? 512 : 1) * count * perToken * perByte
      const narrower = (model: string) => more(model, workload, 'fp8') - more(model, workload, 'bf16')
      expect(narrower('qwen3-30b-a3b')).toBeCloseTo(casts, 9)
      expect(narrower('llama-3-8b')).toBeCloseTo(0, 9)
    })
  })

  it('waits for what experts are sent, and hides of tensor parallelism what its matmuls do', () => {
    const on = { chip: 'tpu-v5p', mesh: { expert: 8 } }
    expect(passTime(on, { overlapInference: 0.9 })).toBe(passTime(on, { overlapInference: 0 }))
    expect(passTime(on, { overlapExchange: 0.9 })).toBeLessThan(passTime(on, { overlapExchange: 0 }))
    const tensor = { model: 'llama-3-8b', chip: 'tpu-v5p', mesh: { tensor: 8 } }
    expect(passTime(tensor, { overlapInference: 0.9 })).toBeLessThan(
      passTime(tensor, { overlapInference: 0 }),
    )
    expect(passTime(tensor, { overlapExchange: 0.9 })).toBe(passTime(tensor, { overlapExchange: 0 }))
  })
})

describe('chips that do not fill domains', () => {
  const { chip } = problem({
    ...{ model: 'llama-3-8b', chip: 'gb200-nvl72', chips: 72, batchTokens: 8192, sequenceLength: 8192 },
  }).cluster
  const domains = (chips: number) => {
    const resolution = resolveCluster({ chip, chips })
    if (!('cluster' in resolution) || resolution.cluster.network.kind !== 'switched') throw new Error()
    return { size: resolution.cluster.network.tiers[0]?.size, warnings: resolution.warnings }
  }

  it('are shared out evenly where that makes a power of two of each, and it is said', () => {
    for (const [chips, size] of [
      [64, 72],
      [72, 72],
      [128, 64],
      [144, 72],
      [256, 64],
      [100, 72],
    ] as const) {
      expect(domains(chips).size).toBe(size)
    }
    expect(domains(256).warnings).toEqual([expect.stringMatching(/64 in each of 4 /)])
  })

  it('are as hardware.network.tiers has them, of which nothing is said', () => {
    const tiers = chip.system.kind === 'switched' ? chip.system.tiers : []
    for (const size of [32, 64, 128]) {
      const own = tiers.map((tier, at) => (at === 0 ? { ...tier, size } : tier))
      expect(resolveCluster({ chip, chips: 256, network: { tiers: own } })).toMatchObject({ warnings: [] })
    }
  })
})
