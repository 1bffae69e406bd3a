/** Idle threads help with a search, and no request waits for them. */
import { afterEach, describe, expect, it } from 'vitest'
import { createPool, type Pool, type PoolOptions } from '../../../api/queue/pool.ts'
import type { Terms } from '../../../api/queue/search.ts'
import { type OptimizeRequest, optimizeRequest } from '../../../api/schemas/optimize.ts'
import { createFlags } from '../../../api/worker/errand.ts'
import { type Reply, textOf, writtenOf } from '../../../api/worker/reply.ts'
import { optimize } from '../../../api/worker/search-worker.ts'
import { question } from '../service.ts'

const worker = new URL('./spinning-worker.mjs', import.meta.url)
const task = (problem: string, helper?: string) => ({ problem, helper }) as unknown as OptimizeRequest
const unhurried: Terms = { timeoutMs: 60_000, signal: new AbortController().signal }

let pool: Pool | undefined
const poolOf = (options: Partial<PoolOptions> = {}) => {
  pool = createPool({ threads: 2, threadsOfOne: 2, maxQueue: 4, memoryMb: 512, worker, ...options })
  return pool
}
afterEach(async () => {
  await pool?.close()
})

describe('threads that help', () => {
  it.each([
    'polite',
    'spin',
    'crash',
  ])('make way for whoever comes, also one that does %s', async (helper) => {
    const errors: unknown[] = []
    const made = poolOf({ graceMs: helper === 'spin' ? 50 : 60_000, onError: (error) => errors.push(error) })
    const stop = new AbortController()
    const first = made.optimize(task('polite', helper), { ...unhurried, signal: stop.signal })
    // By then it has help.
    await new Promise(setImmediate)
    for (let times = 0; times < 3; times++) {
      await expect(made.optimize(task('quick'), unhurried)).resolves.toMatchObject({ answer: 'done' })
    }
    expect(made.occupancy()).toEqual({ running: 1, waiting: 0 })
    stop.abort()
    expect(await first).toMatchObject({ answer: 'best so far' })
    await expect(made.optimize(task('quick'), unhurried)).resolves.toMatchObject({ answer: 'done' })
    if (helper === 'crash') expect(errors.length).toBeGreaterThan(0)
  })

  it('find what one alone finds, to the byte', async () => {
    const subject = optimizeRequest.parse({ ...question, hardware: { chip: 'h100-sxm', chips: 16 } })
    const bytes = (reply: Reply) => Buffer.concat([...textOf(writtenOf(reply), {})]).toString()
    pool = createPool({ threads: 3, threadsOfOne: 3, maxQueue: 4, memoryMb: 512 })
    const alone = optimize({ subject, timeoutMs: 60_000, flags: createFlags() })
    const { answer } = await pool.optimize(subject, unhurried)
    expect(bytes(answer)).toBe(bytes(alone))
  })
})
