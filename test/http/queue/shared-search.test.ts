import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../api/metrics/metrics.ts'
import { canonical } from '../../../api/queue/canonical.ts'
import { type Search, type Searched, SearchFailure, type Terms } from '../../../api/queue/search.ts'
import { sharedSearch } from '../../../api/queue/shared-search.ts'
import { createFlags, patienceOf, wasCut } from '../../../api/worker/errand.ts'
import { type Reply, textOf, writtenOf } from '../../../api/worker/reply.ts'
import { forAll } from '../../law.ts'
import { runs } from '../../runs.ts'
import { answering } from '../planners.ts'
import { question as body, service } from '../service.ts'

type Question = Parameters<Search['optimize']>[0]
type Found = Searched<Reply>

interface Begun {
  readonly subject: unknown
  readonly terms: Terms
  readonly end: (found: Found) => void
  readonly fail: (error: Error) => void
}

const roomy = { keptBytes: 1e6 }
const asked = (fields: object) => fields as Question
const question = asked({ model: 'a', chips: 8 })
const replyOf = (text: string): Reply => ({ written: { start: new TextEncoder().encode(text), end: null } })
const textIn = ({ answer }: Found) =>
  textOf(writtenOf(answer), {})
    .map((part) => new TextDecoder().decode(part))
    .join('')
const answerOf = (answer: string, more: Partial<Found> = {}): Found => ({
  answer: replyOf(answer),
  waitedMs: 3,
  elapsedMs: 5,
  ...more,
})
const under = (timeoutMs = 1000, signal = new AbortController().signal): Terms => ({ timeoutMs, signal })

/** A search that the test ends by hand. */
function byHand({ keptBytes } = roomy) {
  const begun: Begun[] = []
  const ask = (subject: unknown, terms: Terms) =>
    new Promise<Found>((end, fail) => {
      begun.push({ subject, terms, end, fail })
    })
  const search = {
    optimize: ask,
    evaluate: ask,
    collective: ask,
    occupancy: () => ({ running: 0, waiting: 0 }),
  }
  const shared = sharedSearch(search as unknown as Search, { keptBytes })
  const optimize = (subject: Question, terms = under()) =>
    shared.optimize(subject, terms) as unknown as Promise<Found>
  return { begun, shared, optimize }
}

describe('requests that ask the same at the same time', () => {
  it('share one search, however they write it', async () => {
    const { begun, optimize } = byHand()
    const all = [
      optimize(question),
      optimize(asked({ chips: 8, model: 'a' })),
      optimize(asked({ ...question })),
    ]
    expect(begun).toHaveLength(1)
    begun[0]?.end(answerOf('one'))
    expect(await Promise.all(all)).toEqual([
      answerOf('one'),
      answerOf('one', { source: 'shared' }),
      answerOf('one', { source: 'shared' }),
    ])
  })

  it('have their own where anything differs: the question, the route, the time', async () => {
    const { begun, shared, optimize } = byHand()
    void optimize(question)
    void optimize(asked({ model: 'a', chips: 9 }))
    void optimize(asked({ model: 'a', chips: '8' }))
    void optimize(question, under(999))
    void shared.evaluate(question as never, under())
    expect(begun).toHaveLength(5)
  })

  it('stop it when all who wait have left, and not before', async () => {
    const { begun, optimize } = byHand()
    const [first, second] = [new AbortController(), new AbortController()]
    const all = [
      optimize(question, under(1000, first.signal)),
      optimize(question, under(1000, second.signal)),
    ]
    first.abort()
    expect(begun[0]?.terms.signal.aborted).toBe(false)
    second.abort()
    expect(begun[0]?.terms.signal.aborted).toBe(true)
    // Who comes after that has a search of their own.
    const late = optimize(question)
    expect(begun).toHaveLength(2)
    begun[0]?.end(answerOf('so far', { cut: true }))
    begun[1]?.end(answerOf('whole'))
    expect((await Promise.all(all)).map(textIn)).toEqual(['so far', 'so far'])
    expect(await late).toEqual(answerOf('whole'))
  })

  it('share its failure, and the next one begins anew', async () => {
    const { begun, optimize } = byHand()
    const all = [optimize(question), optimize(question)]
    begun[0]?.fail(new SearchFailure('full', 'full'))
    for (const each of all) await expect(each).rejects.toMatchObject({ end: 'full' })
    void optimize(question)
    expect(begun).toHaveLength(2)
  })

  it('one that left before it asked ends what it began', async () => {
    const { begun, optimize } = byHand()
    void optimize(question, under(1000, AbortSignal.abort()))
    expect(begun[0]?.terms.signal.aborted).toBe(true)
  })
})

describe('an answer', () => {
  it('is kept, for requests of any time', async () => {
    const { begun, optimize } = byHand()
    const first = optimize(question)
    begun[0]?.end(answerOf('kept', { cut: false }))
    await first
    const again = await optimize(question, under(1))
    expect(again).toEqual({ ...answerOf('kept', { cut: false, source: 'kept' }), waitedMs: 0 })
    expect(begun).toHaveLength(1)
  })

  it.each([
    ['was cut', roomy, (each?: Begun) => each?.end(answerOf('cut', { cut: true }))],
    ['failed', roomy, (each?: Begun) => each?.fail(new SearchFailure('overdue', 'late'))],
    ['was found where none are kept', { keptBytes: 0 }, (each?: Begun) => each?.end(answerOf('whole'))],
    ['is larger than what is worth it', roomy, (each?: Begun) => each?.end(answerOf('x'.repeat(2e5)))],
  ] as const)('that %s is not', async (_why, room, end) => {
    const { begun, shared, optimize } = byHand(room)
    const first = optimize(question).catch(() => {})
    end(begun[0])
    await first
    expect(shared.kept()).toEqual({ answers: 0, bytes: 0 })
    void optimize(question)
    expect(begun).toHaveLength(2)
  })

  it('gives way to later ones: what is kept has a bound in bytes, whatever is asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ model: fc.nat(9), length: fc.nat(4000) }), { minLength: 20, maxLength: 60 }),
        async (asks) => {
          const { begun, shared, optimize } = byHand({ keptBytes: 20_000 })
          for (const { model, length } of asks) {
            const before = begun.length
            const found = optimize(asked({ model }))
            const mine = begun[before]
            mine?.end(answerOf(`${model}`.padEnd(length)))
            expect(textIn(await found).trim()).toBe(`${model}`)
            expect(shared.kept().bytes).toBeLessThanOrEqual(20_000)
          }
        },
      ),
      { numRuns: runs(10) },
    )
  })
})

describe('a search', () => {
  it('is cut once any part of it heard that it should stop, and not while none did', () => {
    let now = 0
    const flags = createFlags()
    const stop = patienceOf({ flags, timeoutMs: 100 }, () => now)(0.5)
    now = 49
    expect([stop(), wasCut(flags)]).toEqual([false, false])
    now = 50
    expect(wasCut(flags)).toBe(false)
    expect([stop(), wasCut(flags)]).toEqual([true, true])
  })
})

describe('the canonical text', () => {
  it('is the same for the same value in any order of keys, and only then', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled)
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).map(([key, inner]) => [key, shuffled(inner)] as const)
      return Object.fromEntries(entries.reverse())
    }
    forAll(100, [fc.jsonValue(), fc.jsonValue()], (one, other) => {
      const json = (value: unknown) => JSON.parse(JSON.stringify(value))
      expect(canonical(shuffled(one))).toBe(canonical(one))
      expect(json(JSON.parse(canonical(one)))).toEqual(json(one))
      expect(canonical(one) === canonical(other)).toBe(isDeepStrictEqual(json(one), json(other)))
    })
  })
})

describe('over HTTP', () => {
  const search = sharedSearch(answering(), roomy)
  const metrics = createMetrics(search, () => 0, search.kept)
  const agent = service({ search, metrics })
  const post = (sent: object, headers: Record<string, string> = {}) =>
    agent.post('/optimize').set(headers).send(sent)

  it('the second answer is the first one, from memory, and both have a tag', async () => {
    const first = await post(body)
    const { workload, ...rest } = body
    const second = await post({ workload, timeoutMs: 777, ...rest })
    expect([first, second].map(({ headers }) => headers['cache-status'])).toEqual([
      'shardplan; fwd=miss',
      'shardplan; hit',
    ])
    expect(second.body).toEqual(first.body)
    expect(first.headers.etag).toMatch(/^W\/"[\w-]{27}"$/)
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(first.headers['cache-control']).toBe('private, no-cache')
    const { text } = await agent.get('/metrics')
    expect(text).toContain('shardplan_answers_total{route="/optimize",source="searched"} 1')
    expect(text).toContain('shardplan_answers_total{route="/optimize",source="kept"} 1')
    expect(text).toMatch(/^shardplan_kept_answer_bytes [1-9]\d*$/m)
  })

  it('who has the answer is told so, at no cost', async () => {
    const { headers } = await post(body)
    for (const known of [headers.etag ?? '', `"x", ${headers.etag}`]) {
      const again = await post(body, { 'if-none-match': known })
      expect(again.status).toBe(412)
      expect(again.body.type).toBe('/problems/unchanged')
      expect(again.headers.etag).toBe(headers.etag)
    }
    expect((await post(body, { 'if-none-match': '"x"' })).status).toBe(200)
    expect((await post({ ...body, top: 3 }, { 'if-none-match': headers.etag ?? '' })).status).toBe(200)
    const other = service({ search, build: 'another' })
    const sent = other.post('/optimize').set('if-none-match', headers.etag ?? '')
    expect((await sent.send(body)).status).toBe(200)
  })

  it('an answer that was cut has no tag of its request, and is not to be stored', async () => {
    const cut = answering()
    const optimize: Search['optimize'] = async (...all) => ({ ...(await cut.optimize(...all)), cut: true })
    const { headers } = await service({ search: { ...cut, optimize } })
      .post('/optimize')
      .send(body)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers.etag).not.toBe((await post(body)).headers.etag)
  })

  it('an error has none either', async () => {
    const { status, headers } = await post({ ...body, model: 'unheard-of' })
    expect(status).toBe(422)
    expect(headers['cache-control']).toBe('no-store')
  })

  it('a body that is nested without end is refused before anything walks it', async () => {
    const deep = `{"model":{"huggingFace":{"model_type":"llama","x":${'['.repeat(2e5)}${']'.repeat(2e5)}}}}`
    const { status, body: problem } = await agent.post('/optimize').type('application/json').send(deep)
    expect(status).toBe(400)
    expect(problem.errors).toEqual([{ pointer: '', detail: 'is nested more than 64 levels deep' }])
  })
})
