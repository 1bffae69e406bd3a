/** What binds a plan, and its headroom, against what it waits for and against machines with slower networks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../src/evaluate.ts'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { withHost, withNetworks } from '../../../src/hardware/cluster/scaled-cluster.ts'
import { infer } from '../../../src/infer.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import type { Problem } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { law } from '../../law.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'
import { sketchedPlan } from './sketched-plan.ts'
import { inferenceQuestions, smallMachines, smallModels } from './small-questions.ts'

/** The step with all hidden that can be hidden takes longer than its kernels, overheads and update. */
function waitsAtBest({ overlapSeconds, timeSeconds }: Plan): boolean {
  const { compute, hbm, rematerialization, overhead, optimizer } = timeSeconds
  return overlapSeconds[0] > (compute + hbm + rematerialization + overhead + optimizer) * (1 + 1e-9)
}

function slowed(cluster: Cluster, share: number): Cluster {
  return withHost(
    withNetworks(cluster, () => share),
    share,
  )
}

const trained = fc
  .record({
    model: smallModels,
    on: smallMachines,
    basis: fc.constantFrom('book' as const, 'calibrated' as const),
    sequences: fc.constantFrom(1, 4, 16),
    sequenceLength: fc.constantFrom(128, 1024, 8192),
    microbatches: fc.constantFrom(1, 2, 4),
    cut: fc.constantFrom<Partial<Mesh>>({}, { tensor: 2 }, { tensor: 4 }),
    states: fc.constantFrom('data' as const, 'fsdp' as const),
  })
  .map(({ model, on, basis, sequences, sequenceLength, microbatches, cut, states }) => {
    const asked = { ...on, model, sequenceLength, batchTokens: 1, memoryBudget: 1e15 }
    const assumptions = { basis, frameworks: [], overlapPrefetched: 1 }
    const { chips } = problem({ ...asked, assumptions }).cluster
    const replicas = chips / (cut.tensor ?? 1)
    const batchTokens = replicas * microbatches * sequences * sequenceLength
    const question = problem({ ...asked, assumptions, batchTokens })
    const mesh: Mesh = { ...unitMesh, ...cut, [states]: replicas }
    return { question, sketch: { mesh, microbatches, rematerialization: 'none' as const } }
  })

interface Asked {
  readonly question: Problem
  readonly sketch: PlanSketch
}

function answered({ question, sketch }: Asked): Plan {
  return legal(evaluate(question, sketch, solver)).plan
}

describe('the headroom of communication', () => {
  law('is below 1 just where training waits for a network at best', 30, [trained], (asked) => {
    const plan = answered(asked)
    expect((plan.headroom.communication ?? 1) < 1 - 1e-9).toBe(waitsAtBest(plan))
    if (asked.question.assumptions.basis !== 'book') return
    const { exposedCommunication } = plan.timeSeconds
    expect(exposedCommunication > 1e-9 * plan.stepTimeSeconds).toBe(waitsAtBest(plan))
  })

  law('says how many times slower networks could be', 20, [trained], ({ question, sketch }) => {
    const plan = answered({ question, sketch })
    const room = plan.headroom.communication
    if (room === null) return
    // On other networks another placement may be as good, which has room of its own.
    const placed = sketchedPlan(plan)
    const on = (share: number) => {
      const cluster = slowed(question.cluster, share)
      return waitsAtBest(answered({ question: { ...question, cluster }, sketch: placed }))
    }
    expect([on(1.001 / room), on(0.999 / room)]).toEqual([false, true])
  })

  const passed = fc
    .record({ question: inferenceQuestions, tensor: fc.constantFrom(1, 2, 4, 8) })
    .filter(({ question: { assumptions } }) => assumptions.basis === 'book' && !assumptions.twoBatchOverlap)
    .map(({ question, tensor }) => ({
      ...question,
      constraints: { tensor, tensor2: 1, pipeline: 1 },
      memoryBudget: 1e15,
    }))

  law('is below 1 just where a component waits', 20, [passed], (question) => {
    const [plan] = infer(question, solver).plans
    if (!plan) return
    const { timeSeconds, reshardingSeconds, stepTimeSeconds, headroom } = plan
    const waited = timeSeconds.exposedCommunication - reshardingSeconds > 1e-9 * stepTimeSeconds
    expect((headroom.communication ?? 1) < 1 - 1e-9).toBe(waited)
  })
})

describe('the bottleneck', () => {
  law('is not kernels where more is waited for than computed', 30, [trained], (asked) => {
    const { bottleneck, timeSeconds } = answered(asked)
    const { compute, hbm, rematerialization, exposedCommunication } = timeSeconds
    if (exposedCommunication > compute + hbm + rematerialization) {
      expect(['compute', 'hbm']).not.toContain(bottleneck)
    }
  })

  it('is communication in the book below B/X = C/W, however short the wait', () => {
    // Gradients hide behind the backward pass alone, two thirds of a step: sums over the step would have room for them.
    const question = (tokensPerChip: number) =>
      problem({
        ...{ model: 'llama-3-8b', chip: 'tpu-v5p', topology: [4, 4, 4], assumptions: 'book' as const },
        ...{ batchTokens: 64 * tokensPerChip, sequenceLength: 64, memoryBudget: 1e15 },
      })
    const at = (tokensPerChip: number, states: 'data' | 'fsdp') => {
      const sketch = {
        mesh: { ...unitMesh, [states]: 64 },
        microbatches: 1,
        rematerialization: 'none' as const,
      }
      return answered({ question: question(tokensPerChip), sketch })
    }
    for (const states of ['data', 'fsdp'] as const) {
      const below = at(704, states)
      expect(below.bottleneck).toBe('communication')
      expect(below.timeSeconds.exposedCommunication).toBeGreaterThan(0)
      const above = at(1024, states)
      expect([above.bottleneck, above.timeSeconds.exposedCommunication]).toEqual(['compute', 0])
      expect(above.headroom.communication).toBeGreaterThan(1)
    }
  })

  it('is compute where gradients are waited for once after many microbatches', () => {
    const asked = { model: 'llama-3-8b', chip: 'tpu-v5p', topology: [4, 4, 4], assumptions: 'book' as const }
    const question = problem({ ...asked, batchTokens: 64 * 8 * 704, sequenceLength: 64, memoryBudget: 1e15 })
    const mesh = { ...unitMesh, data: 64 }
    const plan = answered({ question, sketch: { mesh, microbatches: 8, rematerialization: 'none' } })
    expect(plan.headroom.communication).toBeLessThan(1)
    expect(plan.bottleneck).toBe('compute')
  })
})
