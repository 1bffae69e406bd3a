import { describe, expect, it } from 'vitest'
import { loadExamples } from '../../api/examples.ts'
import { answering, endless, failing, full } from '../http/planners.ts'
import { sampleOptimizeAnswer, samplePlan } from '../http/sample-answer.ts'
import {
  sampleInferenceAnswer,
  sampleInferencePlan,
  sampleServeAnswer,
} from '../http/sample-inference-answer.ts'
import { question, service } from '../http/service.ts'
import { expectAsDocumented } from './validator.ts'

const plan = { mesh: { fsdp: 64 } }

describe('an answer is as openapi.yaml documents it', () => {
  it.each(['/models', '/hardware', '/stacks', '/healthz', '/readyz'])('GET %s', async (path) => {
    expectAsDocumented('get', path, await service().get(path))
    expectAsDocumented('get', path, await service().get(`${path}?x=1`))
  })

  it('GET /models/{name}, of every model', async () => {
    const agent = service()
    const { body } = await agent.get('/models')
    for (const { name } of body.models) {
      expectAsDocumented('get', '/models/{name}', await agent.get(`/models/${name}`))
    }
    expectAsDocumented('get', '/models/{name}', await agent.get('/models/unheard-of'))
  })

  it('GET /hardware/{name}, of every chip', async () => {
    const agent = service()
    const { body } = await agent.get('/hardware')
    for (const { name } of body.hardware) {
      expectAsDocumented('get', '/hardware/{name}', await agent.get(`/hardware/${name}`))
    }
    expectAsDocumented('get', '/hardware/{name}', await agent.get('/hardware/unheard-of'))
  })

  it('GET /stacks/{name}, of every stack', async () => {
    const agent = service()
    const { body } = await agent.get('/stacks')
    for (const { name } of body.stacks) {
      expectAsDocumented('get', '/stacks/{name}', await agent.get(`/stacks/${name}`))
    }
    expectAsDocumented('get', '/stacks/{name}', await agent.get('/stacks/unheard-of'))
  })

  it('GET /problems/{slug}', async () => {
    expectAsDocumented('get', '/problems/{slug}', await service().get('/problems/timed-out'))
    expectAsDocumented('get', '/problems/{slug}', await service().get('/problems/unheard-of'))
  })

  it('POST /optimize', async () => {
    expectAsDocumented('post', '/optimize', await service().post('/optimize').send(question))
  })

  it('POST /optimize, where nothing fits', async () => {
    const infeasible = {
      reasons: [{ reason: 'memory', detail: 'Too much.', layouts: 3 }],
      nearest: { plan: { ...samplePlan, feasible: false }, shortBytes: 1e9 },
      suggestions: [{ change: 'chips', pointer: '/hardware/chips', value: 128, detail: 'Twice the chips.' }],
    }
    const search = answering({}, { ...sampleOptimizeAnswer, plans: [], sensitivity: null, infeasible })
    expectAsDocumented('post', '/optimize', await service({ search }).post('/optimize').send(question))
  })

  it.each([
    ['generate', { mode: 'generate', batchSequences: 8, contextLength: 4096 }],
    ['prefill', { mode: 'prefill', batchSequences: 8, promptLength: 4096 }],
  ])('POST /optimize in mode %s, where nothing fits', async (_mode, workload) => {
    const infeasible = {
      reasons: [{ reason: 'latency', detail: 'Too slow.', layouts: 3 }],
      nearest: { plan: sampleInferencePlan, shortBytes: 0 },
      suggestions: [],
    }
    const search = answering({}, { ...sampleInferenceAnswer, plans: [], sensitivity: null, infeasible })
    const response = await service({ search })
      .post('/optimize')
      .send({ ...question, workload })
    expect(response.status).toBe(200)
    expectAsDocumented('post', '/optimize', response)
  })

  it('POST /optimize in mode serve, where nothing is in time', async () => {
    const [nearest] = sampleServeAnswer.plans
    if (!nearest) throw new Error('the sample has a plan')
    const infeasible = {
      reasons: [],
      nearest: { plan: nearest, shortSeconds: 0.5, shortRequestsPerSecond: 0 },
      suggestions: [],
    }
    const search = answering({}, { ...sampleServeAnswer, plans: [], infeasible })
    const workload = { mode: 'serve', promptLength: 1024, outputLength: 256 }
    const response = await service({ search })
      .post('/optimize')
      .send({ ...question, workload })
    expect(response.status).toBe(200)
    expectAsDocumented('post', '/optimize', response)
  })

  it('POST of every example of a plan, as far as the edge goes', async () => {
    // What these find is worked out where they are asked.
    const others = ['/collectives', '/compare']
    for (const { route, body } of loadExamples().filter(({ route }) => !others.includes(route))) {
      const response = await service()
        .post(route)
        .send(body as object)
      expect(response.status, response.text).toBe(200)
      expectAsDocumented('post', route, response)
    }
  })

  it('POST /evaluate', async () => {
    const response = await service()
      .post('/evaluate')
      .send({ ...question, plan })
    expectAsDocumented('post', '/evaluate', response)
  })

  it.each([
    ['400', {}, { chips: 1 }],
    ['422', {}, { ...question, model: 'llama-3-70' }],
    ['500', { search: failing(new Error('defect')) }, question],
    ['503', { search: full }, question],
    ['504', { search: endless() }, { ...question, timeoutMs: 20 }],
  ])('POST /optimize, %s', async (_status, parts, body) => {
    expectAsDocumented('post', '/optimize', await service(parts).post('/optimize').send(body))
  })

  it('POST /optimize, 413, 415 and 429', async () => {
    const send = (type: string, body: string) =>
      service().post('/optimize').set('content-type', type).send(body)
    expectAsDocumented('post', '/optimize', await send('application/json', ' '.repeat(2e6)))
    expectAsDocumented('post', '/optimize', await send('text/plain', 'x'))
    const agent = service({ requestsPerMinute: 1 })
    await agent.get('/models')
    expectAsDocumented('post', '/optimize', await agent.post('/optimize').send(question))
  })
})
