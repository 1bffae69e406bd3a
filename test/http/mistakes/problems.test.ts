import { describe, expect, it } from 'vitest'
import { problems } from '../../../api/problems.ts'
import { validate } from '../../../src/validate.ts'
import { answering, endingWith, endless, failing, full } from '../planners.ts'
import { sampleOptimizeAnswer } from '../sample-answer.ts'
import { question, service } from '../service.ts'

describe('every problem', () => {
  it('is application/problem+json with the id of its request', async () => {
    const response = await service().get('/nowhere').set('x-request-id', 'mine-1')
    expect(response.status).toBe(404)
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(response.body).toEqual({
      type: '/problems/not-found',
      title: 'Not found',
      status: 404,
      detail: 'No such route. GET / and /docs list them.',
      instance: 'mine-1',
    })
  })

  it.each(Object.entries(problems))('of type %s is explained where its type leads', async (slug, kind) => {
    const json = await service().get(`/problems/${slug}`)
    expect(json.body).toEqual({ type: `/problems/${slug}`, ...kind })
    const page = await service().get(`/problems/${slug}`).set('accept', 'text/html')
    expect(page.text).toContain(`<h1>${kind.title}</h1>`)
  })

  it('has an explanation only if there is such a problem', async () => {
    expect((await service().get('/problems/constructor')).status).toBe(404)
  })
})

describe('a method that a path does not answer to', () => {
  it.each([
    ['GET', '/optimize', 'POST, OPTIONS'],
    ['PUT', '/evaluate', 'POST, OPTIONS'],
    ['DELETE', '/collectives', 'POST, OPTIONS'],
    ['POST', '/models', 'GET, HEAD, OPTIONS'],
    ['POST', '/models/llama-3-70b', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/hardware', 'GET, HEAD, OPTIONS'],
    ['POST', '/hardware/tpu-v5p', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['POST', '/readyz', 'GET, HEAD, OPTIONS'],
    ['POST', '/metrics', 'GET, HEAD, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ])('%s %s is a 405 with Allow', async (method, path, allow) => {
    const verb = method.toLowerCase() as 'get' | 'put' | 'delete' | 'post' | 'patch'
    const { status, headers, body } = await service()[verb](path)
    expect(status).toBe(405)
    expect(headers.allow).toBe(allow)
    expect(body.type).toBe('/problems/method-not-allowed')
  })
})

describe('a body that is no request', () => {
  it.each([
    ['{"model": ', 'half an object'],
    ['', 'nothing'],
    ['{"a": NaN}', 'not a number'],
    ['\u0000', 'a zero byte'],
    ["{'a': 1}", 'single quotes'],
  ])('is a 400: %j (%s)', async (text) => {
    const { status, body } = await service().post('/optimize').type('application/json').send(text)
    expect(status).toBe(400)
    expect(body.type).toBe('/problems/malformed-json')
    expect(body.errors[0].pointer).toBe('')
  })

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonish'],
    ['text/json'],
  ])('is a 415 as %s', async (type) => {
    const { status, body } = await service().post('/optimize').set('content-type', type).send('{}')
    expect(status).toBe(415)
    expect(body.type).toBe('/problems/unsupported-media-type')
  })

  it('is a 415 in an unknown encoding or character set', async () => {
    const encoded = await service()
      .post('/optimize')
      .set({ 'content-type': 'application/json', 'content-encoding': 'rot13' })
      .send('{}')
    expect(encoded.status).toBe(415)
    const charset = await service()
      .post('/optimize')
      .set('content-type', 'application/json; charset=klingon')
      .send('{}')
    expect(charset.status).toBe(415)
  })

  it('is a 413 over 1 MiB, and is read up to there', async () => {
    const padded = (bytes: number) => `${' '.repeat(bytes - 2)}{}`
    const send = (bytes: number) => service().post('/optimize').type('application/json').send(padded(bytes))
    const large = await send(1024 * 1024 + 1)
    expect(large.status).toBe(413)
    expect(large.body.type).toBe('/problems/body-too-large')
    expect((await send(1024 * 1024)).status).toBe(400)
  })
})

describe('load', () => {
  it('beyond the rate is a 429 with Retry-After, and leaves the probes alone', async () => {
    const agent = service({ requestsPerMinute: 2 })
    expect((await agent.get('/models')).status).toBe(200)
    expect((await agent.get('/models')).status).toBe(200)
    const { status, headers, body } = await agent.get('/models')
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(body.type).toBe('/problems/too-many-requests')
    expect((await agent.get('/healthz')).status).toBe(200)
    expect((await agent.get('/metrics')).status).toBe(200)
  })

  it('beyond the queue is a 503 with Retry-After', async () => {
    const { status, headers, body } = await service({ search: full }).post('/optimize').send(question)
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(body.type).toBe('/problems/overloaded')
  })

  it('that takes longer than timeoutMs is a 504, and the search is stopped', async () => {
    const seen = { started: 0, aborted: 0 }
    const agent = service({ search: endless(seen) })
    const { status, body } = await agent.post('/optimize').send({ ...question, timeoutMs: 30 })
    expect(status).toBe(504)
    expect(body).toMatchObject({
      type: '/problems/timed-out',
      detail: '/timeoutMs: no answer was ready within 30 ms.',
      errors: [{ pointer: '/timeoutMs', detail: 'no answer was ready within 30 ms' }],
    })
    expect(seen).toEqual({ started: 1, aborted: 1 })
    const plan = { mesh: { fsdp: 64 } }
    const evaluated = await agent.post('/evaluate').send({ ...question, plan, timeoutMs: 30 })
    expect(evaluated.status).toBe(504)
  })
})

describe('a search that had to stop', () => {
  const cut = { ...sampleOptimizeAnswer.search, exact: false, unexamined: 7 }

  it('is answered with the best so far, what was not looked at, and how long it waited', async () => {
    const search = answering({}, { ...sampleOptimizeAnswer, search: cut })
    const { status, body, headers } = await service({ search }).post('/optimize').send(question)
    expect(status).toBe(200)
    expect(body.plans).toHaveLength(sampleOptimizeAnswer.plans.length)
    expect(body.search).toMatchObject({ exact: false, unexamined: 7, elapsedMs: 1, waitedMs: 0 })
    expect(headers['server-timing']).toBe('wait;dur=0.0, search;dur=1.0')
  })

  it('is warned of where a plan is checked, whose best may be worse than the plan itself', () => {
    const checkedBeside = (search: typeof cut) =>
      validate(
        {
          ...{ rows: {} as never, ranking: {} as never, comparing: undefined, sizeAt: () => null },
          told: () => ['as assumed'],
        },
        {},
        { illegal: [] },
        { ...sampleOptimizeAnswer, search },
        () => [],
      ).warnings
    expect(checkedBeside(cut)).toContainEqual(expect.stringContaining('7 layouts were not looked at'))
    expect(checkedBeside({ ...cut, exact: true, unexamined: 0 })).toEqual(['as assumed'])
  })

  it('is a 504 that names timeoutMs where nothing was found yet', async () => {
    const search = answering(
      {},
      { ...sampleOptimizeAnswer, plans: [], unlaunchable: null, infeasible: null, search: cut },
    )
    const { status, body } = await service({ search }).post('/optimize').send(question)
    expect(status).toBe(504)
    expect(body.errors).toMatchObject([{ pointer: '/timeoutMs' }])
    expect(body.detail).toContain('7 of')
  })
})

describe('a searcher', () => {
  it('that needs more memory than it may have is a 422 that says so', async () => {
    const { status, body } = await service({ search: endingWith('memory') })
      .post('/optimize')
      .send(question)
    expect([status, body.type]).toEqual([422, '/problems/search-too-large'])
  })

  it('that cannot be started is a 503 with Retry-After', async () => {
    const { status, body, headers } = await service({ search: endingWith('unavailable') })
      .post('/optimize')
      .send(question)
    expect([status, body.type]).toEqual([503, '/problems/unavailable'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('a defect', () => {
  it('is a 500 that tells nothing of the inside', async () => {
    const search = failing(new Error('secret at /somewhere/inside.ts'))
    const { status, body } = await service({ search }).post('/optimize').send(question)
    expect(status).toBe(500)
    expect(body.type).toBe('/problems/internal-error')
    expect(JSON.stringify(body)).not.toMatch(/secret|inside\.ts/)
  })
})
