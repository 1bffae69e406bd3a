import { afterEach, describe, expect, it } from 'vitest'
import { createPool, type Pool, type PoolOptions } from '../../api/pool.ts'
import type { Question } from '../../api/question.ts'
import { QueueFull } from '../../api/search.ts'
import { question, service } from './service.ts'

const worker = new URL('./spinning-worker.mjs', import.meta.url)
const task = (name: 'quick' | 'spin' | 'crash' | 'exit') => ({ problem: name }) as unknown as Question
const forever = () => new AbortController().signal

let pool: Pool | undefined
const poolOf = (options: Partial<PoolOptions> = {}) => {
  pool = createPool({ threads: 1, maxQueue: 1, memoryMb: 64, worker, ...options })
  return pool
}
afterEach(async () => {
  await pool?.close()
})

describe('the pool', () => {
  it('ends a search that would never end when its signal fires, and goes on', async () => {
    const { optimize } = poolOf()
    const signal = AbortSignal.timeout(200)
    await expect(optimize(task('spin'), signal)).rejects.toThrow(/abort/i)
    await expect(optimize(task('quick'), forever())).resolves.toBe('done')
  })

  it('has room for as many as it has threads and places in the queue', async () => {
    const { optimize, occupancy } = poolOf()
    const stop = new AbortController()
    const first = optimize(task('spin'), stop.signal)
    const second = optimize(task('spin'), stop.signal)
    expect(occupancy()).toEqual({ running: 1, waiting: 1 })
    await expect(optimize(task('quick'), forever())).rejects.toBeInstanceOf(QueueFull)
    stop.abort()
    await expect(first).rejects.toThrow()
    await expect(second).rejects.toThrow()
    expect(occupancy()).toEqual({ running: 0, waiting: 0 })
    await expect(optimize(task('quick'), forever())).resolves.toBe('done')
  })

  it('ends a search that waits as well as one that runs', async () => {
    const { optimize } = poolOf()
    const stop = new AbortController()
    const running = optimize(task('spin'), stop.signal)
    await expect(optimize(task('spin'), AbortSignal.timeout(100))).rejects.toThrow(/abort/i)
    stop.abort()
    await expect(running).rejects.toThrow()
  })

  it.each(['crash', 'exit'] as const)('outlives a worker that does %s', async (end) => {
    const { optimize } = poolOf()
    await expect(optimize(task(end), forever())).rejects.toThrow()
    await expect(optimize(task('quick'), forever())).resolves.toBe('done')
  })
})

describe('the service over a pool', () => {
  it('answers 504 to a search that never ends, 503 to one too many, and goes on', async () => {
    const agent = service({ search: poolOf({ threads: 1, maxQueue: 0 }) })
    const slow = agent.post('/optimize').send({ ...question, timeoutMs: 700 })
    const [first, second] = await Promise.all([
      slow.then(({ status }) => status),
      new Promise<number>((resolve, reject) => {
        setTimeout(() => {
          agent
            .post('/optimize')
            .send(question)
            .then(({ status }) => resolve(status), reject)
        }, 200)
      }),
    ])
    expect([first, second]).toEqual([504, 503])
    expect((await agent.get('/healthz')).status).toBe(200)
  })
})
