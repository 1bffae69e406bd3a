/** The whole service with the real search, for inference. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool } from '../../api/queue/pool.ts'
import { service } from '../http/service.ts'
import { expectAsDocumented } from './validator.ts'

const pool = createPool({ threads: 1, maxQueue: 8, memoryMb: 1024 })
beforeAll(() => pool.warm([]))
afterAll(() => pool.close())

const post = (route: '/optimize' | '/evaluate', body: object) =>
  service({ search: pool }).post(route).send(body)

const chat = {
  model: 'llama-3-70b',
  hardware: { chip: 'tpu-v5e', topology: [4, 4] },
  workload: { mode: 'generate', batchSequences: 32, contextLength: 4096 },
  precision: { weights: 'int8' },
  top: 3,
}

const prompts = { ...chat, workload: { mode: 'prefill', batchSequences: 2, promptLength: 4096 } }

describe('a plan that was found', () => {
  it.each([
    ['generation', chat],
    ['prefill', prompts],
  ])('of %s takes as long when it is evaluated as it is written', async (_phase, question) => {
    const { body } = await post('/optimize', question)
    expect(body.plans).toHaveLength(3)
    for (const found of body.plans) {
      const { mesh, layout, placement } = found
      const plan = {
        mesh,
        layout: layout.components,
        placement: placement.map(({ axis, physical }: { axis: string; physical: number[] }) => ({
          axis,
          physical,
        })),
      }
      const evaluated = await post('/evaluate', { ...question, plan })
      expect(evaluated.status, evaluated.text.slice(0, 500)).toBe(200)
      expectAsDocumented('post', '/evaluate', evaluated)
      expect(evaluated.body.plan.stepTimeSeconds).toBeCloseTo(found.stepTimeSeconds, 12)
      expect(evaluated.body.plan.layout.components).toEqual(layout.components)
      expect(evaluated.body.plan.id).toBe(found.id)
    }
  })

  it('is no faster than one of more chips, nor than its own floor', async () => {
    const small = await post('/optimize', chat)
    const large = await post('/optimize', { ...chat, hardware: { chip: 'tpu-v5e', topology: [8, 8] } })
    const [few] = small.body.plans
    const [many] = large.body.plans
    expect(many.stepTimeSeconds).toBeLessThan(few.stepTimeSeconds)
    expect(few.stepTimeSeconds).toBeGreaterThanOrEqual(few.floorSeconds)
  })
})

describe('a plan that cannot be', () => {
  it('of a component that the model does not have is a 422 that points at it', async () => {
    const plan = { mesh: { tensor: 16 }, layout: { block: '1d/heads' } }
    const { status, body } = await post('/evaluate', { ...chat, plan })
    expect(status).toBe(422)
    expect(body.type).toBe('/problems/illegal-plan')
    expect(body.errors[0].pointer).toBe('/plan/layout/block')
  })

  it('of more chips than there are is a 422 that points at the mesh', async () => {
    const { status, body } = await post('/evaluate', { ...chat, plan: { mesh: { tensor: 32 } } })
    expect(status).toBe(422)
    expect(body.errors[0].pointer).toBe('/plan/mesh')
  })

  it('of fewer chips is one with the others idle, and says so', async () => {
    const response = await post('/evaluate', { ...chat, plan: { mesh: { tensor: 8 } } })
    expect(response.status).toBe(200)
    expectAsDocumented('post', '/evaluate', response)
    expect(response.body.plan).toMatchObject({ chips: 8, idleChips: 8 })
    expect(response.body.warnings.join()).toMatch(
      /product of the axes is 8, but there are 16 chips.*; 8 stay idle/,
    )
  })

  it('as it does not fit is a 200 with all its numbers', async () => {
    const workload = { ...chat.workload, batchSequences: 4096 }
    const response = await post('/evaluate', { ...chat, workload, plan: { mesh: { tensor: 16 } } })
    expect(response.status).toBe(200)
    expectAsDocumented('post', '/evaluate', response)
    expect(response.body.plan).toMatchObject({ feasible: false, infeasible: [{ pointer: '/memoryBudget' }] })
  })
})

describe('a limit that nothing meets', () => {
  it('is answered with the term that alone exceeds it', async () => {
    const response = await post('/optimize', {
      model: 'llama-3.1-405b',
      hardware: { chip: 'h200-sxm', chips: 8 },
      workload: { mode: 'generate', batchSequences: 1, contextLength: 4096, maxStepSeconds: 0.002 },
      precision: { weights: 'fp8' },
    })
    expect(response.status).toBe(200)
    expectAsDocumented('post', '/optimize', response)
    const { plans, infeasible } = response.body
    expect(plans).toEqual([])
    const [reason] = infeasible.reasons
    expect(reason.reason).toBe('latency')
    expect(reason.detail).toMatch(/weights .* alone over the limit/)
    expect(infeasible.nearest.plan.stepTimeSeconds).toBeGreaterThan(0.002)
  })
})

describe('a deployment', () => {
  const objectives = {
    requestsPerSecond: 4,
    maxTimeToFirstTokenSeconds: 2,
    maxTimePerOutputTokenSeconds: 0.05,
  }
  const serving = {
    ...chat,
    hardware: { chip: 'h100-sxm', chips: 64 },
    workload: { mode: 'serve', promptLength: 2048, outputLength: 256, ...objectives },
  }

  it('meets its objectives, with the fewest chips first', async () => {
    const response = await post('/optimize', serving)
    expect(response.status, response.text.slice(0, 500)).toBe(200)
    expectAsDocumented('post', '/optimize', response)
    const { mode, plans } = response.body
    expect(mode).toBe('serve')
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan.requestsPerSecond).toBeGreaterThanOrEqual(4)
      expect(plan.timeToFirstTokenSeconds).toBeLessThanOrEqual(2)
      expect(plan.timePerOutputTokenSeconds).toBeLessThanOrEqual(0.05)
    }
    const chips = plans.map((plan: { chips: number }) => plan.chips)
    expect(chips).toEqual([...chips].sort((a, b) => a - b))
  })

  it('is together or apart as it is asked for', async () => {
    for (const disaggregated of [true, false]) {
      const workload = { ...serving.workload, disaggregated }
      const { body } = await post('/optimize', { ...serving, workload })
      expect(body.plans.length).toBeGreaterThan(0)
      for (const plan of body.plans) expect(plan).toMatchObject({ disaggregated })
    }
  })

  it('that no chips could make is answered with the reason and what comes nearest', async () => {
    const workload = { ...serving.workload, maxTimePerOutputTokenSeconds: 1e-5 }
    const response = await post('/optimize', { ...serving, workload })
    expect(response.status).toBe(200)
    expectAsDocumented('post', '/optimize', response)
    const { plans, infeasible } = response.body
    expect(plans).toEqual([])
    expect(infeasible.reasons[0].reason).toBe('latency')
    expect(infeasible.nearest.shortSeconds).toBeGreaterThan(0)
  })
})

describe('speculative decoding', () => {
  const speculative = { draftModel: 'llama-3.2-1b', acceptance: 0.8 }

  it('with the best number of drafts is never slower than without', async () => {
    const { body } = await post('/optimize', { ...chat, workload: { ...chat.workload, speculative } })
    for (const { speculation, stepTimeSeconds } of body.plans) {
      expect(speculation.secondsPerToken).toBeLessThanOrEqual(stepTimeSeconds * (1 + 1e-12))
      expect(speculation.draftTokens).toBeGreaterThan(0)
    }
  })

  it.each([
    true,
    false,
  ])('of a deployment is as it was answered where it is evaluated, apart: %s', async (apart) => {
    const question = {
      ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 4 }, top: 1 },
      workload: {
        ...{ mode: 'serve', promptLength: 1024, outputLength: 200, disaggregated: apart },
        speculative: { ...speculative, tokens: 3 },
      },
    }
    const found = await post('/optimize', question)
    expectAsDocumented('post', '/optimize', found)
    const [plan] = found.body.plans
    expect(plan.generate.speculation.draftTokens).toBe(3)
    expect(plan.explanation.join()).toContain('3 drafted tokens of each sequence')
    const evaluated = await post('/evaluate', { ...question, plan })
    expect(evaluated.status, evaluated.text.slice(0, 500)).toBe(200)
    expectAsDocumented('post', '/evaluate', evaluated)
    const { requestsPerSecond, timePerOutputTokenSeconds, requestSeconds, generate } = evaluated.body.plan
    expect({ requestsPerSecond, timePerOutputTokenSeconds, requestSeconds }).toEqual({
      requestsPerSecond: plan.requestsPerSecond,
      timePerOutputTokenSeconds: plan.timePerOutputTokenSeconds,
      requestSeconds: plan.requestSeconds,
    })
    expect(generate.speculation).toEqual(plan.generate.speculation)
  })

  it('is answered also where so many drafts do not fit beside the caches', async () => {
    const workload = { ...chat.workload, batchSequences: 'max', speculative: { ...speculative, tokens: 64 } }
    const response = await post('/optimize', { ...chat, workload })
    expect(response.status, response.text.slice(0, 500)).toBe(200)
    expectAsDocumented('post', '/optimize', response)
  })
})

describe('an answer of inference', () => {
  it('is the same when it is asked for twice, but for the time of the search', async () => {
    const ask = async () => {
      const { body } = await post('/optimize', {
        ...chat,
        workload: { ...chat.workload, batchSequences: 'max' },
      })
      const { elapsedMs, waitedMs, ...search } = body.search
      expect(elapsedMs).toBeGreaterThan(0)
      expect(waitedMs).toBeGreaterThanOrEqual(0)
      return JSON.stringify({ ...body, search })
    }
    expect(await ask()).toBe(await ask())
  })

  it('has a frontier on which less latency always costs more', async () => {
    const { body } = await post('/optimize', chat)
    expect(body.pareto.length).toBeGreaterThan(3)
    const points = [...body.pareto].sort((a, b) => a.stepTimeSeconds - b.stepTimeSeconds)
    for (const [at, point] of points.slice(1).entries()) {
      expect(point.chipSecondsPerToken).toBeLessThan(points[at].chipSecondsPerToken)
    }
  })
})
