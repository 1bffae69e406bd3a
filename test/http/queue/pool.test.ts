import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { afterEach, describe, expect, it } from 'vitest'
import { createPool, type Pool, type PoolOptions } from '../../../api/queue/pool.ts'
import type { Terms } from '../../../api/queue/search.ts'
import type { OptimizeRequest } from '../../../api/schemas/optimize.ts'
import { question, service } from '../service.ts'

const worker = new URL('./spinning-worker.mjs', import.meta.url)
type Kind = 'young' | 'quick' | 'cut' | 'thread' | 'polite' | 'spin' | 'crash' | 'exit' | 'memory'
const task = (name: Kind) => ({ problem: name }) as unknown as OptimizeRequest
const unhurried: Terms = { timeoutMs: 60_000, signal: new AbortController().signal }
const until = ({ signal }: AbortController): Terms => ({ ...unhurried, signal })

let pool: Pool | undefined
const poolOf = (options: Partial<PoolOptions> = {}) => {
  pool = createPool({ threads: 1, maxQueue: 1, memoryMb: 64, worker, ...options })
  return pool
}
const threadOf = async ({ optimize }: Pool) => (await optimize(task('thread'), unhurried)).answer
afterEach(async () => {
  await pool?.close()
})

describe('the pool', () => {
  it('gives its threads a young generation of their own, whatever the main thread was started with', async () => {
    setFlagsFromString('--max-semi-space-size=1')
    const { answer } = await poolOf({ memoryMb: 256 }).optimize(task('young'), unhurried)
    expect(answer).toBeGreaterThan(8)
  })

  it('has the best so far of a search that is told to stop, and keeps its thread', async () => {
    const made = poolOf({ graceMs: 60_000 })
    const before = await threadOf(made)
    const stop = new AbortController()
    const searched = made.optimize(task('polite'), until(stop))
    stop.abort()
    expect(await searched).toMatchObject({ answer: 'best so far' })
    expect(await threadOf(made)).toBe(before)
  })

  it('ends a search that does not stop by itself with its thread, and goes on', async () => {
    const made = poolOf({ graceMs: 50 })
    const before = await threadOf(made)
    const overdue = made.optimize(task('spin'), { ...unhurried, timeoutMs: 1 })
    await expect(overdue).rejects.toMatchObject({ end: 'overdue' })
    expect(await threadOf(made)).not.toBe(before)
    const stop = new AbortController()
    const left = made.optimize(task('spin'), until(stop))
    stop.abort()
    await expect(left).rejects.toMatchObject({ end: 'left' })
    await expect(made.optimize(task('quick'), unhurried)).resolves.toMatchObject({ answer: 'done' })
  })

  it.each([
    'overdue',
    'left',
  ])('keeps the thread of one that is late and still looks, though nobody waits for it: %s', async (end) => {
    const made = poolOf({ graceMs: 500 })
    const before = await threadOf(made)
    const go = new Int32Array(new SharedArrayBuffer(4))
    const late = { problem: 'late', until: go } as unknown as OptimizeRequest
    const client = new AbortController()
    const searched = made.optimize(late, { timeoutMs: end === 'left' ? 60_000 : 1, signal: client.signal })
    if (end === 'left') client.abort()
    await expect(searched).rejects.toMatchObject({ end })
    expect(made.occupancy().running).toBe(1)
    Atomics.store(go, 0, 1)
    expect(await threadOf(made)).toBe(before)
  })

  it('ends one that looks for ever', async () => {
    const made = poolOf({ graceMs: 10 })
    const before = await threadOf(made)
    const never = new Int32Array(new SharedArrayBuffer(4))
    const late = { problem: 'late', until: never } as unknown as OptimizeRequest
    await expect(made.optimize(late, { ...unhurried, timeoutMs: 1 })).rejects.toMatchObject({
      end: 'overdue',
    })
    expect(await threadOf(made)).not.toBe(before)
  })

  it('has room for as many as it has threads and places in the queue', async () => {
    const { optimize, occupancy } = poolOf()
    const stop = new AbortController()
    const first = optimize(task('polite'), until(stop))
    const second = optimize(task('quick'), unhurried)
    expect(occupancy()).toEqual({ running: 1, waiting: 1 })
    await expect(optimize(task('quick'), unhurried)).rejects.toMatchObject({ end: 'full' })
    stop.abort()
    await first
    const { answer, waitedMs, elapsedMs } = await second
    expect(answer).toBe('done')
    expect(waitedMs).toBeGreaterThan(0)
    expect(elapsedMs).toBeGreaterThan(0)
    expect(occupancy()).toEqual({ running: 0, waiting: 0 })
  })

  it('answers a light search while heavy ones hold all threads but that for light ones', async () => {
    const secondsOf = (asked: unknown) => (Object(asked).problem === 'polite' ? 10 : 0.01)
    const { optimize, occupancy } = poolOf({ lightThreads: 1, estimates: { secondsOf, learn: () => {} } })
    const stop = new AbortController()
    const searched = [1, 2].map(() => optimize(task('polite'), until(stop)))
    for (let times = 0; times < 3; times++) {
      expect(await optimize(task('quick'), unhurried)).toMatchObject({ answer: 'done' })
    }
    expect(occupancy()).toEqual({ running: 1, waiting: 1 })
    stop.abort()
    expect(await Promise.allSettled(searched)).toMatchObject([
      { value: { answer: 'best so far' } },
      { reason: { end: 'left' } },
    ])
  })

  it('has one that was taken for light give way to a light one, and searches it again', async () => {
    const learned: number[] = []
    const estimates = { secondsOf: () => 0.01, learn: (_: unknown, took: number) => void learned.push(took) }
    const { optimize } = poolOf({ lightThreads: 1, maxQueue: 5, estimates })
    const runs = () => new Int32Array(new SharedArrayBuffer(4))
    const misjudged = () => ({ problem: 'yields', until: runs() }) as unknown as OptimizeRequest
    const stay = new AbortController()
    const first = optimize(misjudged(), until(stay))
    const second = optimize(misjudged(), unhurried)
    expect(await optimize(task('quick'), unhurried)).toMatchObject({ answer: 'done', cut: false })
    expect(learned.some((took) => took > 0.2)).toBe(true)
    stay.abort()
    await first.catch(() => {})
    expect(await second).toMatchObject({ answer: 'whole', cut: false })
  })

  it('learns from a search that is cut short where it took longer than was thought, and only there', async () => {
    const learned: number[] = []
    let seconds = 0
    const { optimize } = poolOf({
      estimates: { secondsOf: () => seconds, learn: () => void learned.push(seconds) },
    })
    for (seconds of [0, 3600]) await optimize(task('cut'), unhurried)
    expect(learned).toEqual([0])
  })

  it('does not begin a search that left while it waited, and does not count its wait as its time', async () => {
    const { optimize, occupancy } = poolOf({ graceMs: 60_000 })
    const [running, waiting] = [new AbortController(), new AbortController()]
    const first = optimize(task('polite'), until(running))
    const second = optimize(task('polite'), until(waiting))
    waiting.abort()
    await expect(second).rejects.toMatchObject({ end: 'left' })
    expect(occupancy()).toEqual({ running: 1, waiting: 0 })
    // Its time is over long before there is room for it.
    const third = optimize(task('quick'), { ...unhurried, timeoutMs: 1 })
    setTimeout(() => running.abort(), 100)
    await first
    expect(await third).toMatchObject({ answer: 'done' })
    await expect(
      optimize(task('quick'), { ...unhurried, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      end: 'left',
    })
  })

  it.each(['crash', 'exit'] as const)('outlives a worker that does %s', async (end) => {
    const { optimize } = poolOf()
    await expect(optimize(task(end), unhurried)).rejects.not.toHaveProperty('end')
    await expect(optimize(task('quick'), unhurried)).resolves.toMatchObject({ answer: 'done' })
  })

  it('says of a search that needs more memory than it may have that it does', async () => {
    const { optimize } = poolOf()
    await expect(optimize(task('memory'), unhurried)).rejects.toMatchObject({ end: 'memory' })
    await expect(optimize(task('quick'), unhurried)).resolves.toMatchObject({ answer: 'done' })
  })

  it('says that no worker starts while its file is away, and goes on once it is there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pool-'))
    const file = join(folder, 'worker.mjs')
    const errors: unknown[] = []
    try {
      copyFileSync(worker, file)
      const made = poolOf({
        worker: pathToFileURL(file),
        graceMs: 20,
        onError: (error) => errors.push(error),
      })
      await threadOf(made)
      rmSync(file)
      await threadOf(made)
      await expect(made.optimize(task('spin'), { ...unhurried, timeoutMs: 1 })).rejects.toMatchObject({
        end: 'overdue',
      })
      for (let attempt = 0; attempt < 3; attempt++) {
        await expect(made.optimize(task('quick'), unhurried)).rejects.toMatchObject({ end: 'unavailable' })
      }
      expect(errors.length).toBeGreaterThan(0)
      copyFileSync(worker, file)
      await expect(made.optimize(task('quick'), unhurried)).resolves.toMatchObject({ answer: 'done' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the service over a pool', () => {
  it('answers 504 to a search that never ends, 503 to one too many, and goes on', async () => {
    const made = poolOf({ maxQueue: 0, graceMs: 50 })
    const agent = service({ search: made })
    const slow = agent.post('/optimize').send({ ...question, timeoutMs: 2000 })
    const first = slow.then(({ status }) => status)
    while (made.occupancy().running === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await agent.post('/optimize').send(question)).status).toBe(503)
    expect((await agent.get('/healthz')).status).toBe(200)
    expect(await first).toBe(504)
  })
})
