/** Answers as text, by what a client accepts, and in part, by the fields that it asks for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPool } from '../../../api/queue/pool.ts'
import { sharedSearch } from '../../../api/queue/shared-search.ts'
import { plansReport } from '../../../api/report/plans.ts'
import { sampleOptimizeAnswer } from '../sample-answer.ts'
import { service } from '../service.ts'

const pool = createPool({ threads: 1, maxQueue: 8, memoryMb: 1024, graceMs: 600_000 })
const agent = service({ search: sharedSearch(pool, { keptBytes: 1e7 }) })
beforeAll(() => pool.warm([]))
afterAll(() => pool.close())

const request = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 8 },
  workload: { mode: 'train', batchTokens: 131_072, sequenceLength: 4096 },
  constraints: { pipeline: 1, context: 1, tensor2: 1 },
  top: 2,
}
const plan = { mesh: { fsdp: 8 } }
const bodies: Readonly<Record<string, object>> = {
  '/optimize': request,
  '/evaluate': { ...request, plan },
  '/compare': {
    request,
    variants: [
      { name: 'ours', plan },
      { name: 'theirs', plan: { mesh: { data: 2, fsdp: 4 } } },
    ],
  },
  '/collectives': { hardware: request.hardware, op: 'AllGather', bytes: 1e9, over: { groupSize: 8 } },
}
const says: Readonly<Record<string, RegExp>> = {
  '/optimize': /fsdp|data/,
  '/evaluate': /fsdp 8/,
  '/compare': /theirs/,
  '/collectives': /bandwidth/,
}

async function told(path: string, type: string) {
  const response = await agent.post(path).set('accept', type).buffer(true).send(bodies[path])
  expect(response.status, response.text).toBe(200)
  expect(response.headers['content-type']).toMatch(new RegExp(`^${type}`))
  expect(response.headers.vary).toMatch(/accept/i)
  return response.text
}

describe.each(Object.keys(bodies))('POST %s', (path) => {
  it('is told as plain text, in Markdown and as a sheet', async () => {
    expect(await told(path, 'text/plain')).toMatch(says[path] as RegExp)
    expect(await told(path, 'text/markdown')).toMatch(/^\|.*\|\n\| ---/)
    const lines = (await told(path, 'text/csv')).split('\r\n')
    const cells = (line = '') => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)?.length
    expect(lines.length).toBeGreaterThan(2)
    expect(cells(lines[1])).toBe(cells(lines[0]))
  })
})

it('a plan that nobody launches is not told in the words of the first, where it is another', () => {
  const { plans, unlaunchable } = sampleOptimizeAnswer
  if (!unlaunchable) throw new Error('the sample has one')
  const line = (summary: string | undefined) => {
    const plan = { ...unlaunchable.plan, summary: summary ?? '' }
    return plansReport.text({
      mode: 'train',
      ...sampleOptimizeAnswer,
      warnings: [],
      unlaunchable: { ...unlaunchable, plan },
    })
  }
  expect(line('fsdp 7')).toContain('launches fsdp 7, 2.00 times better: Megatron-LM runs 1F1B, not GPipe.')
  expect(line(plans[0]?.summary)).toContain(
    'launches plan 1 laid out otherwise, 2.00 times better: Megatron-LM',
  )
})

describe('?fields=', () => {
  it('names of a repeated parameter count together', async () => {
    const { body } = await agent
      .post('/evaluate?fields=mode&fields=plan.mfu,plan.rank')
      .send(bodies['/evaluate'])
    expect(body).toEqual({ mode: 'train', plan: { mfu: expect.any(Number), rank: 1 } })
  })

  it('answers with these and no others, and the same with another Accept is another answer', async () => {
    const fields = 'plans.summary,plans.mesh.fsdp,search.exact'
    const { body } = await agent.post(`/optimize?fields=${fields}`).send(request)
    expect(Object.keys(body).sort()).toEqual(['plans', 'search'])
    expect(Object.keys(body.plans[0]).sort()).toEqual(['mesh', 'summary'])
    expect(Object.keys(body.plans[0].mesh)).toEqual(['fsdp'])
    expect(body.search.exact).toBe(true)
    expect((await agent.post('/optimize').send(request)).body.model).toBeDefined()
  })

  it('refuses one that is nowhere, as it would be left out without a word', async () => {
    const { status, body } = await agent.post('/evaluate?fields=plan.sumary').send(bodies['/evaluate'])
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/^\?fields=: plan.sumary is nowhere in the answer; did you mean summary/),
    ])
    expect(body.errors[0].suggestions).toContain('plan.summary')
    const top = (await agent.post('/evaluate?fields=nope').send(bodies['/evaluate'])).body
    expect(top.detail).toMatch(
      /^\?fields=: nope is nowhere in the answer; did you mean mode\? there are mode, plan, /,
    )
    expect((await agent.post('/evaluate?fields=$').send(bodies['/evaluate'])).status).toBe(400)
  })
})

describe('Accept', () => {
  it('of types that there are none of is a 406 that says which there are, before anything is searched', async () => {
    const image = { accept: 'image/png' }
    for (const [path, asked] of Object.entries(bodies)) {
      const { status, headers, body } = await agent.post(path).set(image).send(asked)
      expect([status, body.type]).toEqual([406, '/problems/not-acceptable'])
      expect(headers['content-type']).toMatch(/^application\/problem\+json/)
      expect(body.detail).toMatch(/image\/png; the answer may be application\/json, text\/plain/)
    }
    const checked = await agent.post('/validate').set(image).send(bodies['/evaluate'])
    expect([checked.status, checked.body.detail]).toEqual([406, expect.stringMatching(/sarif/)])
    expect((await agent.get('/models').set(image)).status).toBe(406)
    expect((await agent.get('/models').set('accept', 'text/html, */*;q=0.1')).status).toBe(200)
  })
})
