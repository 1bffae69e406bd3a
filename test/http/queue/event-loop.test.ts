/**
 * Work that the thread that answers probes does for a request, counted in blocks of code: nothing of the domain, and no
 * more if a request's numbers, or its answer, are larger.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { runs } from '../../runs.ts'
import { countWork } from '../../work.ts'
import { extremesOf } from '../mistakes/extremes.ts'

const counter = countWork()
// What is loaded before is not counted block by block.
const { createEstimates } = await import('../../../api/queue/estimated-work.ts')
const { createPool } = await import('../../../api/queue/pool.ts')
const { collectiveRequest } = await import('../../../api/schemas/collective.ts')
const { evaluateRequest } = await import('../../../api/schemas/evaluate.ts')
const { optimizeRequest } = await import('../../../api/schemas/optimize.ts')
const { validateRequest } = await import('../../../api/schemas/validate.ts')
const { sharedSearch } = await import('../../../api/queue/shared-search.ts')
const { question, service } = await import('../service.ts')

const pool = createPool({
  threads: 1,
  maxQueue: 1,
  memoryMb: 64,
  estimates: createEstimates(),
  worker: new URL('./parroting-worker.mjs', import.meta.url),
})
const agent = service({ search: sharedSearch(pool, { keptBytes: 1e6 }) })
afterAll(async () => {
  counter.close()
  await pool.close()
})

const domain = /\/(src|solvers|api\/translate)\/|\/api\/worker\/(desk|search-worker)\./
const packages =
  'express|router|body-parser|raw-body|zod|compression|piscina|lru-cache|pino|pino-http|prom-client'
const edge = new RegExp(`/(api|node_modules/(${packages}))/`)

async function asked(path: string, body: object) {
  counter.take()
  const { status, text, body: answer } = await agent.post(path).send(body)
  const work = counter.take()
  const faults: number = answer.errors?.length ?? 0
  return { status, faults, length: text.length, ofDomain: work.within(domain), ofEdge: work.within(edge) }
}

const { hardware } = question
const bodies = {
  '/optimize': { schema: optimizeRequest, base: question },
  '/evaluate': { schema: evaluateRequest, base: { ...question, plan: { mesh: { fsdp: 64 } } } },
  '/validate': {
    schema: validateRequest,
    base: { ...question, plan: { mesh: { fsdp: 64 } }, require: { fits: true } },
  },
  '/collectives': {
    schema: collectiveRequest,
    base: { hardware, op: 'AllReduce', bytes: 1e9, over: { groupSize: 8 } },
  },
} as const

/**
 * Far more than any takes, and far less than a loop over anything that a request may count. Of each fault that is told, no more than 32, the
 * key is held against all that the schema has.
 */
const mostBlocks = (body: object, faults = 0) => 20_000 + 100_000 * faults + 30 * JSON.stringify(body).length

describe.each(Object.entries(bodies))('the largest requests to %s', (path, { schema, base }) => {
  it('cost the event loop what their bytes cost, whatever numbers they have', async () => {
    const shape = schema._zod.def.shape as Readonly<Record<string, z.core.$ZodType>>
    const keys = Object.keys(shape).filter((key) => key !== 'timeoutMs')
    const change = fc
      .constantFrom(...keys)
      .chain((key) => extremesOf(shape[key] ?? schema).map((value) => ({ [key]: value })))
    const legal = new Set<string>()
    await fc.assert(
      fc.asyncProperty(change, change, async (one, other) => {
        const body = { ...base, ...one, ...other }
        const { status, faults, ofDomain, ofEdge } = await asked(path, body)
        expect([200, 400]).toContain(status)
        expect(ofEdge).toBeLessThan(mostBlocks(body, faults))
        // Each file counts as one block, whether or not any of it ran.
        expect(ofDomain).toBeLessThan(100)
        if (status === 200) for (const key of Object.keys({ ...one, ...other })) legal.add(key)
      }),
      { numRuns: runs(60) },
    )
    expect(legal.size).toBeGreaterThan(keys.length / 3)
  })
})

it.each([
  [
    'a number of chips whose primes are not to be had',
    { topology: [4088, 4091, 4081, 4051], slices: 999_680 },
  ],
  ['as many chips as there may be', { topology: [4096, 4096, 4096, 4096], slices: 1e6 }],
  ['a prime number of chips', { chips: 999_983 }],
])('%s costs no more than eight', async (_what, chips) => {
  const body = { ...question, hardware: { chip: 'tpu-v5p', ...chips } }
  const { status, ofEdge } = await asked('/optimize', body)
  expect(status).toBe(200)
  expect(ofEdge).toBeLessThan(mostBlocks(body))
})

it('answers are passed on, however long they are', async () => {
  const [short, long] = [
    await asked('/optimize', { ...question, top: 2 }),
    await asked('/optimize', { ...question, top: 1000 }),
  ]
  expect(long.length).toBe(500 * short.length)
  expect(short.ofEdge).toBeGreaterThan(100)
  expect(long.ofEdge).toBeLessThan(2 * short.ofEdge)
})

it('and kept, however often they are asked for', async () => {
  const again = () => asked('/optimize', { ...question, top: 3 })
  const first = await again()
  expect((await again()).ofEdge).toBeLessThan(first.ofEdge)
})
