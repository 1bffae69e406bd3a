/** The whole service, its pool and the real search: each documented example is sent and answered. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadExamples } from '../../api/examples.ts'
import { createPool } from '../../api/queue/pool.ts'
import { service } from '../http/service.ts'
import { expectAsDocumented } from './validator.ts'

const pool = createPool({ threads: 1, maxQueue: 8, memoryMb: 1024, graceMs: 600_000 })
beforeAll(() => pool.warm([]))
afterAll(() => pool.close())

describe('a documented example', () => {
  it.each(
    loadExamples().map(({ name, route, body }) => [name, route, body] as const),
  )('%s is answered with 200, as documented', async (_name, route, body) => {
    const response = await service({ search: pool })
      .post(route)
      .send(body as object)
    expect(response.status, response.text.slice(0, 1000)).toBe(200)
    expectAsDocumented('post', route, response)
  })

  it('gives byte-identical answers twice, but for the time of the search', async () => {
    const example = loadExamples().find(({ route }) => route === '/optimize')
    const ask = async () => {
      const { body } = await service({ search: pool })
        .post('/optimize')
        .send(example?.body as object)
      const { elapsedMs, waitedMs, ...search } = body.search
      expect(elapsedMs).toBeGreaterThan(0)
      expect(waitedMs).toBeGreaterThanOrEqual(0)
      return JSON.stringify({ ...body, search })
    }
    expect(await ask()).toBe(await ask())
  })

  it('of a request that cannot fit says so with a 200', async () => {
    const tooBig = loadExamples().find(({ name }) => name === 'optimize-too-big-to-fit')
    const { body } = await service({ search: pool })
      .post('/optimize')
      .send(tooBig?.body as object)
    expect(body.plans).toEqual([])
    expect(body.infeasible.reasons.length).toBeGreaterThan(0)
  })

  it('of a millisecond alone names timeoutMs, and does not cost the thread', async () => {
    const example = loadExamples().find(({ route }) => route === '/optimize')
    const { status, body } = await service({ search: pool })
      .post('/optimize')
      .send({ ...(example?.body as object), timeoutMs: 1 })
    expect(status).toBe(504)
    expect(body.errors).toMatchObject([{ pointer: '/timeoutMs' }])
    expect(body.detail).toContain('were not looked at')
  })
})
