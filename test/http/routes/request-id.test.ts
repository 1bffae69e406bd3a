import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { endingWith } from '../planners.ts'
import { question, service } from '../service.ts'

describe('x-request-id', () => {
  it.each([
    ['GET', '/healthz'],
    ['GET', '/models'],
    ['GET', '/docs'],
    ['GET', '/nowhere'],
    ['POST', '/optimize'],
  ])('is on the answer to %s %s, and new each time', async (method, path) => {
    const verb = method.toLowerCase() as 'get' | 'post'
    const ids = [await service()[verb](path), await service()[verb](path)].map(
      ({ headers }) => headers['x-request-id'],
    )
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(ids[0]).not.toBe(ids[1])
  })

  it('is the one that came in', async () => {
    const { headers } = await service().get('/healthz').set('x-request-id', 'ci.job_17-3')
    expect(headers['x-request-id']).toBe('ci.job_17-3')
  })

  it.each(['a b', 'x'.repeat(65), '<script>', 'ä', ''])('is a new one where %j came in', async (id) => {
    const { headers } = await service().get('/healthz').set('x-request-id', id)
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('the log', () => {
  it('has one line per request with id, method, path, status and time, and nothing of headers or body', async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    await service({ log: pino(sink) })
      .post('/optimize?token=hidden')
      .set({ authorization: 'Bearer hidden', 'x-request-id': 'r1', cookie: 'hidden=1' })
      .send({ ...question, model: 'hidden' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('hidden')
    expect(lines[0]).not.toContain('Bearer')
    const line = JSON.parse(lines[0] ?? '')
    expect(line.req).toEqual({ id: 'r1', method: 'POST', path: '/optimize' })
    expect(line.res).toEqual({ status: 400 })
    expect(line.responseTime).toBeGreaterThanOrEqual(0)
  })

  it.each([
    'full',
    'overdue',
    'unavailable',
  ] as const)('warns of a search that ended as %s, without a stack', async (end) => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    await service({ log: pino(sink), search: endingWith(end) })
      .post('/optimize')
      .send(question)
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('stack')
    expect(JSON.parse(lines[0] ?? '').level).toBe(40)
  })
})
