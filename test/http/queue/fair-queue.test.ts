import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEstimates, meshCount } from '../../../api/queue/estimated-work.ts'
import { createFairQueue, type EndTurn } from '../../../api/queue/fair-queue.ts'
import { SearchFailure } from '../../../api/queue/search.ts'
import { runs } from '../../runs.ts'
import { failing } from '../planners.ts'
import { question, service } from '../service.ts'

/** Searches that take as long as `took` says, by a clock of their own; one that gives way stops at once, and enters again as what it is. */
function machine({ places = 1, lightPlaces = 0, maxWaiting = 1000, maxWaitingOfOne = 1000 } = {}) {
  let now = 0
  const begun: { readonly client: string; readonly name: string; readonly at: number }[] = []
  const running = new Map<EndTurn, { readonly until: number; readonly seconds: number }>()
  const waiting: number[] = []
  const gaveWay: string[] = []
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  const later = (seconds: number, call: () => void) => {
    const timer = { at: now + seconds, call }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock = () => now
  const queue = createFairQueue({ places, lightPlaces, maxWaiting, maxWaitingOfOne, clock, later })
  const flush = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
  const ask = (
    client: string,
    seconds: number,
    { took = seconds, name = client, signal = new AbortController().signal } = {},
  ) => {
    const enter = (estimate: number, again: boolean): Promise<void> => {
      let ends: EndTurn | undefined
      const giveWay = () => {
        if (!ends || !running.delete(ends)) return
        gaveWay.push(name)
        ends()
        void enter(Math.max(estimate, took), true)
      }
      const turn = queue.enter({ client, seconds: estimate, again, giveWay }, signal)
      waiting.push(estimate)
      return turn.then((end) => {
        ends = end
        begun.push({ client, name, at: now })
        waiting.splice(waiting.indexOf(estimate), 1)
        running.set(end, { until: now + took, seconds: estimate })
      })
    }
    const entered = enter(seconds, false)
    entered.catch(() => {})
    return entered
  }
  /** The next to end does, or the next timer goes off. */
  const step = async () => {
    await flush()
    const [first] = [...running].sort(([, one], [, other]) => one.until - other.until)
    const [timer] = [...timers].sort((one, other) => one.at - other.at)
    if (timer && (!first || timer.at < first[1].until)) {
      timers.delete(timer)
      now = Math.max(now, timer.at)
      timer.call()
      await flush()
      return true
    }
    if (!first) return false
    const [end, { until }] = first
    now = Math.max(now, until)
    running.delete(end)
    end()
    await flush()
    return true
  }
  const secondsOfRunning = () => [...running.values()].map(({ seconds }) => seconds)
  return { queue, ask, step, begun, flush, time: () => now, secondsOfRunning, waiting, gaveWay }
}

describe('the queue', () => {
  it('shares the time between clients that always have something waiting, whatever their searches take', async () => {
    const seconds = fc.double({ min: 0.05, max: 5, noNaN: true })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(seconds, fc.double({ min: 0.3, max: 3, noNaN: true })), {
          minLength: 12,
          maxLength: 12,
        }),
        seconds,
        async (many, one) => {
          const { ask, step, begun } = machine()
          const took = { greedy: 0, modest: 0 }
          let longest = 0
          const each = (client: 'greedy' | 'modest', estimate: number, off: number) => {
            longest = Math.max(longest, estimate, estimate * off)
            void ask(client, estimate, { took: estimate * off, name: `${estimate * off}` })
          }
          for (const [estimate, off] of many) each('greedy', estimate, off)
          for (let index = 0; index < 12; index++) each('modest', one, 1)
          const left = { greedy: 12, modest: 12 }
          while (await step());
          for (const { client, name } of begun) {
            const who = client as keyof typeof took
            took[who] += Number(name)
            left[who]--
            if (Math.min(left.greedy, left.modest) === 0) break
            expect(Math.abs(took.greedy - took.modest)).toBeLessThanOrEqual(3 * longest + 1e-9)
          }
        },
      ),
      { numRuns: runs(20) },
    )
  })

  it('lets one with little to ask begin next, however many wait of another', async () => {
    const { ask, step, begun } = machine()
    for (let index = 0; index < 30; index++) void ask('greedy', 10)
    await step()
    void ask('modest', 0.1)
    await step()
    expect(begun.findIndex(({ client }) => client === 'modest')).toBeLessThanOrEqual(2)
  })

  it('has the light begin before the heavy, of one client too', async () => {
    const { ask, step, begun } = machine()
    void ask('one', 1, { name: 'first' })
    void ask('one', 9, { name: 'heavy' })
    void ask('one', 0.1, { name: 'light' })
    while (await step());
    expect(begun.map(({ name }) => name)).toEqual(['first', 'light', 'heavy'])
  })

  it('lets nobody wait for ever: a heavy one begins though light ones of new clients never end', async () => {
    const { ask, step, begun } = machine()
    void ask('first', 0.5)
    void ask('heavy', 10)
    for (let index = 0; index < 50; index++) {
      void ask(`light ${index}`, 0.5)
      await step()
    }
    expect(begun.some(({ client }) => client === 'heavy')).toBe(true)
  })

  it('keeps a place from the heavy, so that a light one need not wait at all', async () => {
    const { ask, begun, flush, queue } = machine({ places: 3 })
    for (let index = 0; index < 5; index++) void ask('greedy', 10)
    await flush()
    expect(queue.occupancy()).toEqual({ running: 2, waiting: 3 })
    void ask('modest', 0.1)
    await flush()
    expect(begun.map(({ client }) => client)).toEqual(['greedy', 'greedy', 'modest'])
  })

  it('has places that only light searches get, so that none of them waits for what is not', async () => {
    const asked = fc.record({
      client: fc.constantFrom('a', 'b', 'c'),
      seconds: fc.constantFrom(0.01, 0.2, 0.3, 0.9, 1, 30),
      ends: fc.nat({ max: 2 }),
    })
    const room = fc.record({
      places: fc.integer({ min: 1, max: 4 }),
      lightPlaces: fc.integer({ min: 0, max: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 30 }), room, async (all, { places, lightPlaces }) => {
        const { ask, step, flush, secondsOfRunning, waiting } = machine({ places, lightPlaces })
        const atLeast = (seconds: number) => secondsOfRunning().filter((own) => own >= seconds).length
        for (const { client, seconds, ends } of all) {
          void ask(client, seconds)
          for (let times = 0; times < ends; times++) await step()
          await flush()
          expect(atLeast(0)).toBeLessThanOrEqual(places + lightPlaces)
          expect(atLeast(0.25)).toBeLessThanOrEqual(places)
          expect(atLeast(1)).toBeLessThanOrEqual(Math.max(1, places - 1))
          if (waiting.some((own) => own < 0.25)) expect(atLeast(0)).toBe(places + lightPlaces)
        }
      }),
      { numRuns: runs(40) },
    )
  })

  it('lets a light one wait no longer for misjudged ones than one of them may be light, and loses none of them', async () => {
    const room = fc.record({
      places: fc.integer({ min: 1, max: 3 }),
      lightPlaces: fc.integer({ min: 1, max: 2 }),
    })
    const misjudged = fc.record({
      seconds: fc.double({ min: 0.01, max: 0.24, noNaN: true }),
      took: fc.double({ min: 0.01, max: 20, noNaN: true }),
    })
    const asks = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(misjudged, { minLength: 1, maxLength: 15 }),
        asks,
        room,
        async (all, pauses, { places, lightPlaces }) => {
          const { ask, step, begun, time, gaveWay, queue } = machine({ places, lightPlaces })
          for (const [index, { seconds, took }] of all.entries())
            void ask('greedy', seconds, { took, name: `${index}` })
          for (const [index, pause] of pauses.entries()) {
            for (let steps = 0; steps < pause; steps++) await step()
            const name = `light ${index}`
            const since = time()
            void ask('modest', 0.01, { name })
            do if (begun.some((each) => each.name === name)) break
            while (await step())
            expect(begun.find((each) => each.name === name)?.at).toBeLessThanOrEqual(since + 0.2511)
          }
          while (await step());
          expect(queue.occupancy()).toEqual({ running: 0, waiting: 0 })
          for (const index of all.keys()) {
            const times = (names: readonly string[]) => names.filter((name) => name === `${index}`).length
            expect(times(begun.map(({ name }) => name))).toBe(1 + times(gaveWay))
            expect(times(gaveWay)).toBeLessThanOrEqual(1)
          }
        },
      ),
      { numRuns: runs(60) },
    )
  })

  it('lets nothing give way while nothing shorter waits', async () => {
    const { ask, step, gaveWay } = machine({ places: 1, lightPlaces: 1 })
    for (let index = 0; index < 4; index++) void ask(`${index}`, 0.1, { took: 5 })
    void ask('heavy', 3)
    await step()
    await step()
    expect(gaveWay.length).toBeGreaterThan(0)
    const quiet = machine({ places: 1, lightPlaces: 1 })
    for (let index = 0; index < 2; index++) void quiet.ask(`${index}`, 0.1, { took: 5 })
    void quiet.ask('heavy', 3)
    while (await quiet.step());
    expect(quiet.gaveWay).toEqual([])
  })

  it('bounds what waits of one client, and of all', async () => {
    const { ask, flush } = machine({ maxWaiting: 3, maxWaitingOfOne: 2 })
    const turns = ['a', 'a', 'a', 'a', 'b', 'b'].map((client) => ask(client, 1))
    await flush()
    await expect(turns[3]).rejects.toMatchObject({ end: 'crowded' })
    await expect(turns[5]).rejects.toMatchObject({ end: 'full' })
  })

  it('has room again when it said that it would, and not long before, where searches last as long as is thought', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0.1, max: 8, noNaN: true }), { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        async (all, places) => {
          const { ask, step, queue, time } = machine({ places, maxWaiting: all.length })
          for (const seconds of all) void ask(`${seconds}`, seconds)
          for (let extra = 0; extra < places; extra++) void ask('last', 8).catch(() => {})
          const refused = await ask('late', 9).then(
            () => undefined,
            (error: SearchFailure) => error.retryAfterSeconds,
          )
          if (refused === undefined) return
          while (time() < refused && (await step()));
          expect(queue.occupancy().waiting).toBeLessThan(all.length)
          expect(refused).toBeGreaterThanOrEqual(1)
        },
      ),
      { numRuns: runs(20) },
    )
  })

  it('forgets one that leaves while it waits', async () => {
    const { ask, step, begun, queue } = machine()
    const leave = new AbortController()
    void ask('a', 1)
    const left = ask('b', 1, { signal: leave.signal })
    leave.abort()
    await expect(left).rejects.toMatchObject({ end: 'left' })
    while (await step());
    expect(begun).toHaveLength(1)
    expect(queue.occupancy()).toEqual({ running: 0, waiting: 0 })
  })
})

describe('the estimate of a search', () => {
  const asked = (chips: number, constraints: object = {}) => ({ hardware: { chips }, constraints }) as never

  it('counts meshes: ways to deal the chips out to the axes that are free', () => {
    const waysOf = (chips: number, axes: number): number => {
      if (axes === 1) return 1
      let ways = 0
      for (let size = 1; size <= chips; size++) if (chips % size === 0) ways += waysOf(chips / size, axes - 1)
      return ways
    }
    for (const chips of [1, 2, 7, 12, 64, 72, 97]) {
      expect(meshCount(asked(chips))).toBe(waysOf(chips, 7))
      expect(meshCount(asked(4 * chips, { tensor: 4, pipeline: 1 }))).toBe(waysOf(chips, 5))
    }
    expect(meshCount(asked(10, { tensor: 4 }))).toBe(1)
  })

  it('comes to what searches take here, and is never more than they may', () => {
    const { learn, secondsOf } = createEstimates()
    const question = { ...Object(asked(64)), workload: { mode: 'train' }, timeoutMs: 10_000 } as never
    for (let index = 0; index < 40; index++) learn(question, 3)
    expect(secondsOf(question)).toBeCloseTo(3, 2)
    for (let index = 0; index < 40; index++) learn(question, 300)
    expect(secondsOf(question)).toBe(10)
  })

  it('is not learned from what says nothing of its size, as a file does not', () => {
    const { learn, secondsOf } = createEstimates()
    const search = { ...Object(asked(64)), workload: { mode: 'train' }, timeoutMs: 60_000 } as never
    const before = secondsOf(search)
    const file = { plan: { megatron: 'x' }, workload: { mode: 'train' }, timeoutMs: 60_000 }
    for (const of of [file, { ...file, require: {} }, { ...file, regret: true }]) learn(of as never, 20)
    expect(secondsOf(search)).toBe(before)
  })

  it('of a plan whose regret is asked for is that of a search', () => {
    const { secondsOf } = createEstimates()
    const plan = { ...Object(asked(4096)), workload: { mode: 'train' }, plan: {}, timeoutMs: 60_000 }
    const search = { ...plan, plan: undefined }
    delete search.plan
    expect(secondsOf({ ...plan, regret: true } as never)).toBe(secondsOf(search as never))
    expect(secondsOf({ ...plan, regret: false } as never)).toBeLessThan(secondsOf(search as never))
  })

  it('is not lost on one that took a hundred times as long, as the first of a cold thread may', () => {
    const { learn, secondsOf } = createEstimates()
    const plan = { ...Object(asked(64)), workload: { mode: 'train' }, plan: {}, timeoutMs: 60_000 } as never
    for (let index = 0; index < 40; index++) learn(plan, 0.03)
    learn(plan, 3)
    expect(secondsOf(plan)).toBeLessThan(0.1)
  })

  it('is known of launch files of every framework, which may say all there is to say', () => {
    const { secondsOf } = createEstimates()
    for (const key of ['megatron', 'maxtext', 'deepspeed', 'vllm', 'tensorrtLlm']) {
      const file = { plan: { [key]: 'x' }, timeoutMs: 10_000 } as never
      expect(secondsOf(file)).toBeGreaterThan(0)
    }
  })
})

describe('who may not wait is told when to come again', () => {
  it.each([
    ['full', 503, '/problems/overloaded'],
    ['crowded', 429, '/problems/too-many-requests'],
  ] as const)('%s', async (end, status, type) => {
    const search = failing(new SearchFailure(end, end, { retryAfterSeconds: 17 }))
    const answer = await service({ search }).post('/optimize').send(question)
    expect(answer.status).toBe(status)
    expect(answer.body.type).toBe(type)
    expect(answer.headers['retry-after']).toBe('17')
  })
})
