import type { Express } from 'express'
import { pino } from 'pino'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../api/metrics/metrics.ts'
import { createMetricsApp } from '../../../api/metrics/metrics-app.ts'
import { expectAsDocumented } from '../../contract/validator.ts'
import { answering } from '../planners.ts'
import { appWith, question, service } from '../service.ts'

const [key = '', other = ''] = ['a-key-of-the-tests-1', 'a-key-of-the-tests-2']
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('where keys are asked for', () => {
  const agent = service({ apiKeys: [key, other] })

  it.each([
    '/models',
    '/models/llama-3-8b',
    '/hardware',
    '/stacks',
    '/hardware/tpu-v5p',
    '/metrics',
    '/nowhere',
  ])('%s needs one', async (path) => {
    const refused = await agent.get(path)
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="shardplan"')
    expect(refused.body.type).toBe('/problems/unauthorized')
    expect((await agent.get(path).set(bearer(other))).status).toBe(path === '/nowhere' ? 404 : 200)
  })

  it('plans need one, and an error says no more than that, whatever the body', async () => {
    for (const body of [question, { nonsense: true }]) {
      const refused = await agent.post('/optimize').send(body)
      expect(refused.status).toBe(401)
      expectAsDocumented('post', '/optimize', refused)
    }
    expect((await agent.post('/optimize').set(bearer(key)).send(question)).status).toBe(200)
  })

  it.each([
    `Bearer ${key}x`,
    `Bearer ${key.slice(1)}`,
    'Bearer ',
    `Basic ${key}`,
    key,
    `Bearer ${key} ${other}`,
  ])('%j is not one', async (authorization) => {
    const { status, headers } = await agent.get('/models').set({ authorization })
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="shardplan"/)
  })

  it('the scheme is read as HTTP has it, in either case', async () => {
    expect((await agent.get('/models').set({ authorization: `bearer ${key}` })).status).toBe(200)
  })

  it.each([
    '/healthz',
    '/readyz',
    '/openapi.json',
    '/openapi.yaml',
    '/docs',
    '/problems/unauthorized',
    '/',
  ])('%s is open', async (path) => {
    expect((await agent.get(path)).status).toBeLessThan(400)
  })
})

describe('/metrics', () => {
  const metrics = createMetrics(answering(), () => 0)
  const statusOf = async (app: Express, path: string) => (await supertest(app).get(path)).status

  it('is not with the rest where it is elsewhere', async () => {
    expect(await statusOf(appWith({ metricsHere: false }), '/metrics')).toBe(404)
    expect(await statusOf(appWith(), '/metrics')).toBe(200)
  })

  it('on a port of its own is all that is there, and counts what happens on the other', async () => {
    const app = createMetricsApp(metrics, pino({ level: 'silent' }))
    await service({ metrics, apiKeys: [key], metricsHere: false })
      .get('/models')
      .set(bearer(key))
    const scraped = await supertest(app).get('/metrics')
    expect(scraped.text).toContain('http_requests_total{route="/models",method="GET",status="200"} 1')
    expect(await statusOf(app, '/models')).toBe(404)
    expect((await supertest(app).post('/metrics')).status).toBe(405)
  })
})

describe('the address of a client', () => {
  const limited = (trustProxy: number | readonly string[]) => service({ trustProxy, requestsPerMinute: 1 })
  const statuses = async (agent: ReturnType<typeof limited>, ...forwarded: string[]) => {
    const answered: number[] = []
    for (const address of forwarded) {
      answered.push((await agent.get('/models').set({ 'x-forwarded-for': address })).status)
    }
    return answered
  }

  it('is what a trusted proxy says', async () => {
    for (const trusted of [1, ['loopback']]) {
      expect(await statuses(limited(trusted), '192.0.2.1', '192.0.2.2', '192.0.2.1')).toEqual([200, 200, 429])
    }
  })

  it.each([
    ['192.0.2.1:50000', '192.0.2.1:50001'],
    ['[2001:db8::1]:50000', '[2001:db8::2]'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['x'.repeat(2000), `${'x'.repeat(1000)}y`],
  ])('is one with %s and with another port or place in the same network', async (one, other) => {
    expect(await statuses(limited(1), one, other, '192.0.2.7:1')).toEqual([200, 429, 200])
  })

  it('is not what anybody else says', async () => {
    for (const trusted of [0, ['10.0.0.0/8']]) {
      expect(await statuses(limited(trusted), '192.0.2.1', '192.0.2.2')).toEqual([200, 429])
    }
  })

  it('is not what a client wrote before its proxy did', async () => {
    for (const trusted of [1, ['loopback']]) {
      expect(await statuses(limited(trusted), '192.0.2.1, 192.0.2.9', '192.0.2.2, 192.0.2.9')).toEqual([
        200, 429,
      ])
    }
  })
})
