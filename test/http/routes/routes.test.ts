import { describe, expect, it } from 'vitest'
import { answering } from '../planners.ts'
import { sampleOptimizeAnswer } from '../sample-answer.ts'
import { question, service } from '../service.ts'

describe('POST /optimize', () => {
  it('answers what the search found, how long it took, and all warnings', async () => {
    const { status, body } = await service().post('/optimize').send(question)
    expect(status).toBe(200)
    expect(body.plans).toEqual(sampleOptimizeAnswer.plans)
    expect(body.search.elapsedMs).toBeGreaterThanOrEqual(0)
    expect(body.warnings).toEqual([expect.stringMatching(/^costed as /), 'From the search.'])
  })

  it('warns of sequences that are longer than the model is made for', async () => {
    const workload = { ...question.workload, sequenceLength: 32_768 }
    const { body } = await service()
      .post('/optimize')
      .send({ ...question, workload })
    expect(body.warnings).toEqual([
      expect.stringMatching(/^costed as /),
      'Sequences of 32768 tokens exceed the maximum of 8192 of llama-3-8b.',
      'From the search.',
    ])
  })

  it('repeats the warning that a squarest slice was taken', async () => {
    const { body } = await service()
      .post('/optimize')
      .send({ ...question, hardware: { chip: 'tpu-v5e', chips: 64 } })
    expect(body.warnings[0]).toMatch(/8x8/)
  })

  it('answers a request that nothing fits with 200, no plans and the reason', async () => {
    const infeasible = { reasons: [], nearest: null, suggestions: [] }
    const search = answering({}, { ...sampleOptimizeAnswer, plans: [], sensitivity: null, infeasible })
    const { status, body } = await service({ search }).post('/optimize').send(question)
    expect(status).toBe(200)
    expect(body).toMatchObject({ plans: [], infeasible })
  })

  it('accepts any JSON media type', async () => {
    const { status } = await service()
      .post('/optimize')
      .set('content-type', 'application/vnd.me+json; charset=utf-8')
      .send(JSON.stringify(question))
    expect(status).toBe(200)
  })

  it('answers with a 500 rather than turn an infinite number into null', async () => {
    const search = answering(
      {},
      { ...sampleOptimizeAnswer, search: { ...sampleOptimizeAnswer.search, gap: 1 / 0 } },
    )
    const { status, body } = await service({ search }).post('/optimize').send(question)
    expect(status).toBe(500)
    expect(body.type).toBe('/problems/internal-error')
  })
})

describe('POST /evaluate', () => {
  it('answers the plan, and no search', async () => {
    const { status, body } = await service()
      .post('/evaluate')
      .send({ ...question, plan: { mesh: { fsdp: 64 } } })
    expect(status).toBe(200)
    expect(body.plan.mesh.fsdp).toBe(8)
    expect(Object.keys(body).sort()).toEqual([
      'assumptions',
      'hardware',
      'mode',
      'model',
      'plan',
      'precision',
      'warnings',
    ])
  })

  it('answers an illegal plan with a 422 whose errors point at it', async () => {
    const illegal = [{ pointer: '/plan/mesh/tensor', detail: '3 does not divide 32 heads' }]
    const search = answering({}, undefined, { illegal })
    const { status, body } = await service({ search })
      .post('/evaluate')
      .send({ ...question, plan: { mesh: { tensor: 3 } } })
    expect(status).toBe(422)
    expect(body).toMatchObject({ type: '/problems/illegal-plan', errors: illegal })
  })
})

describe('the catalogues', () => {
  it('list models with the parameters that are counted from their architecture', async () => {
    const { status, body } = await service().get('/models')
    expect(status).toBe(200)
    const llama = body.models.find(({ name }: { name: string }) => name === 'llama-3-70b')
    expect(llama.parameters).toBe(70_553_706_496)
  })

  it('give one model with a source for every number', async () => {
    const { status, body } = await service().get('/models/llama-3-70b')
    expect(status).toBe(200)
    expect(body.architecture.layers).toBe(80)
    expect(body.sources['/architecture']).toContain('config.json')
  })

  it('list chips, and give one by its alias', async () => {
    const list = await service().get('/hardware')
    expect(list.body.hardware.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['tpu-v5p', 'tpu-v5e', 'tpu-v6e', 'a100-80g-sxm', 'h100-sxm', 'gb200-nvl72']),
    )
    const { body } = await service().get('/hardware/h100')
    expect(body.name).toBe('h100-sxm')
    expect(body.sources['/hbmBytes']).toBeTypeOf('string')
  })

  it('answer an unknown name with a 404 that suggests the nearest', async () => {
    const model = await service().get('/models/llama-3-70')
    expect(model.status).toBe(404)
    expect(model.body.detail).toContain('llama-3-70b')
    const chip = await service().get('/hardware/tpu-v5q')
    expect(chip.status).toBe(404)
    expect(chip.body.detail).toContain('tpu-v5p')
  })

  it.each(['__proto__', 'constructor', 'toString', '..%2f..%2fpackage'])('know no %s', async (name) => {
    expect((await service().get(`/models/${name}`)).status).toBe(404)
    expect((await service().get(`/hardware/${name}`)).status).toBe(404)
  })
})

describe('the service', () => {
  it('says that it is alive and ready', async () => {
    expect((await service().get('/healthz')).body).toEqual({ status: 'ok' })
    expect((await service().get('/readyz')).body).toEqual({ status: 'ready' })
  })

  it('counts requests and searches for Prometheus', async () => {
    const agent = service()
    await agent.post('/optimize').send(question)
    await agent.get('/models/unheard-of')
    const { status, text } = await agent.get('/metrics')
    expect(status).toBe(200)
    expect(text).toContain('http_requests_total{route="/optimize",method="POST",status="200"} 1')
    expect(text).toContain('http_requests_total{route="/models/:name",method="GET",status="404"} 1')
    expect(text).toContain('shardplan_search_duration_seconds_count{route="/optimize",outcome="answered"} 1')
    expect(text).toContain('shardplan_searches_running 0')
    expect(text).toContain('process_cpu_seconds_total')
  })

  it('leads browsers from / to the docs and tells programs what there is', async () => {
    const browser = await service().get('/').set('accept', 'text/html,*/*;q=0.8')
    expect(browser.status).toBe(302)
    expect(browser.headers.location).toBe('/docs')
    const { body } = await service().get('/')
    expect(body.docs).toBe('/docs')
    const { paths } = (await service().get('/openapi.json')).body
    const posts = Object.keys(paths).filter((path) => 'post' in paths[path])
    expect(body.routes.filter((route: string) => route.startsWith('POST')).sort()).toEqual(
      posts.map((path) => `POST ${path}`).sort(),
    )
  })

  it('answers HEAD like GET, and OPTIONS with what a path allows', async () => {
    expect((await service().head('/models')).status).toBe(200)
    const { status, headers } = await service().options('/optimize')
    expect(status).toBe(204)
    expect(headers.allow).toBe('POST, OPTIONS')
  })
})

describe('the docs page', () => {
  it('is made of own files only, which all exist', async () => {
    const { status, text } = await service().get('/docs')
    expect(status).toBe(200)
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
    expect(links.length).toBeGreaterThanOrEqual(3)
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//)
      expect((await service().get(link)).status).toBe(200)
    }
  })

  it('has no script in the page itself, under a policy that would not run it', async () => {
    const { text, headers } = await service().get('/docs')
    expect(text).not.toMatch(/<script(?![^>]*src)/)
    expect(headers['content-security-policy']).toContain("default-src 'self'")
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests')
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/)
  })

  it('serves nothing else of the package', async () => {
    expect((await service().get('/docs/package.json')).status).toBe(404)
    expect((await service().get('/docs/..%2fpackage.json')).status).toBe(404)
  })
})
