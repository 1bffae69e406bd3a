/** Threads are warmed up while nobody asks, and give way to requests. */
import { setTimeout as elapsed } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Warmed, warmWhileIdle } from '../../../api/queue/warming.ts'

const settled = async (done: () => boolean) => {
  while (!done()) await elapsed(1)
}
const soon = { pauseMs: 1, quietMs: 0 }
const nothing = async () => {}
const one = { threads: () => [1], isIdle: () => true, asClient: nothing, forget: nothing, sweep: nothing }

it('searches one after another, while nobody asks, on one thread after another', async () => {
  let busy = true
  const seen: string[] = []
  const search: Warmed<string>['search'] = async (request, thread) => {
    expect(busy).toBe(false)
    seen.push(request + thread)
  }
  const warming = warmWhileIdle(
    ['a', 'b'],
    { ...one, threads: () => [1, 2], search, isIdle: () => !busy },
    soon,
  )
  await elapsed(20)
  expect(seen).toEqual([])
  busy = false
  await settled(() => seen.length === 4)
  expect(seen).toEqual(['a1', 'b1', 'a2', 'b2'])
  warming.end()
})

it('warms threads that are started later, and goes on after one that failed', async () => {
  const seen: string[] = []
  const threads = [1]
  const search: Warmed<string>['search'] = async (request, thread) => {
    seen.push(request + thread)
    if (seen.length === 1) throw new Error('The thread was ended')
  }
  const warming = warmWhileIdle(['a', 'b'], { ...one, threads: () => threads, search }, soon)
  await settled(() => seen.length === 2)
  threads.push(4)
  await settled(() => seen.length === 4)
  expect(seen).toEqual(['a1', 'b1', 'a4', 'b4'])
  warming.end()
})

it('stops for whoever asks, and takes up again what it had not done', async () => {
  const seen: string[] = []
  const search: Warmed<string>['search'] = async (request, _, signal) => {
    seen.push(request)
    if (seen.length > 1) return
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
    warming.giveWay()
    await stopped
  }
  const warming = warmWhileIdle(['a', 'b'], { ...one, search }, soon)
  await settled(() => seen.length === 3)
  expect(seen).toEqual(['a', 'a', 'b'])
  warming.end()
})

it('lets a request wait until the first thread has stopped, and for no other', async () => {
  const stopped: (() => void)[] = []
  const search: Warmed<string>['search'] = (_, __, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => stopped.push(resolve)))
  const warming = warmWhileIdle(['a'], { ...one, search }, { ...soon, quietMs: 60_000 })
  await elapsed(20)
  let free = false
  const given = warming.giveWay().then(() => {
    free = true
  })
  await elapsed(20)
  expect(free).toBe(false)
  stopped.forEach((stop) => {
    stop()
  })
  await given
  await warming.giveWay()
  warming.end()
})

it('does not begin between requests that follow each other', async () => {
  const seen: string[] = []
  const search = async (request: string) => void seen.push(request)
  const warming = warmWhileIdle(['a'], { ...one, search }, { pauseMs: 1, quietMs: 60_000 })
  warming.giveWay()
  await elapsed(30)
  expect(seen).toEqual([])
  warming.end()
})

it('gives up what it had to stop too often', async () => {
  const seen: string[] = []
  const search = async (request: string) => {
    seen.push(request)
    if (request === 'a') warming.giveWay()
  }
  const warming = warmWhileIdle(['a', 'b'], { ...one, search }, { ...soon, mostTries: 3 })
  await settled(() => seen.includes('b'))
  expect(seen).toEqual(['a', 'a', 'a', 'b'])
  warming.end()
})

it('is warm once the first thread has searched all of them, and again as clients ask for them', async () => {
  const seen: string[] = []
  const search: Warmed<string>['search'] = async (request, thread) => void seen.push(request + thread)
  const asClient = async () => {
    await elapsed(5)
    seen.push('as client')
  }
  const sweep: Warmed<string>['sweep'] = async (thread) => void seen.push(`swept ${thread}`)
  const forget: Warmed<string>['forget'] = async (thread) => void seen.push(`forgot ${thread}`)
  const two = { threads: () => [1, 2], isIdle: () => true, search, asClient, forget, sweep }
  const warming = warmWhileIdle(['a', 'b'], two, soon)
  await warming.warm
  expect(seen).toEqual(['swept 2', 'a1', 'b1', 'as client', 'forgot 1', 'swept 1', 'swept 2'])
  await settled(() => seen.length === 12)
  expect(seen.slice(7)).toEqual(['a2', 'swept 2', 'b2', 'forgot 2', 'swept 2'])
  warming.end()
})

it('is warm though nobody could be asked as clients ask', async () => {
  const asClient = () => Promise.reject(new Error('no loopback'))
  const warming = warmWhileIdle(['a'], { ...one, search: nothing, asClient }, soon)
  await warming.warm
  warming.end()
})

it.each([
  ['after a while, though it is always asked', (_: { readonly end: () => void }) => {}, 5],
  ['when it comes to an end', ({ end }: { readonly end: () => void }) => end(), 60_000],
])('is called warm %s', async (_, then, warmWithinMs) => {
  const warming = warmWhileIdle(
    ['a'],
    { ...one, search: async () => {}, isIdle: () => false },
    { ...soon, warmWithinMs },
  )
  then(warming)
  await warming.warm
  warming.end()
})

it('sweeps all threads soon after a request where they have grown, and once nobody has asked for a while', async () => {
  const seen: string[] = []
  const search: Warmed<string>['search'] = async (request, thread) => void seen.push(request + thread)
  const sweep: Warmed<string>['sweep'] = async (thread, grownBytes) =>
    void seen.push(`swept ${thread} ${grownBytes > 0 ? 'if grown' : 'anyway'}`)
  const two = { ...one, threads: () => [1, 2], search, sweep }
  const warming = warmWhileIdle(['a', 'b'], two, { ...soon, sweepAfterMs: 40 })
  await settled(() => seen.length === 9)
  // While nobody waits any more it is swept after each.
  expect(seen).toEqual([
    'swept 2 anyway',
    'a1',
    'b1',
    'swept 1 anyway',
    'swept 2 anyway',
    'a2',
    'swept 2 anyway',
    'b2',
    'swept 2 anyway',
  ])
  await elapsed(60)
  expect(seen).toHaveLength(9)
  warming.giveWay()
  await settled(() => seen.length === 13)
  expect(seen.slice(9)).toEqual(['swept 1 if grown', 'swept 2 if grown', 'swept 1 anyway', 'swept 2 anyway'])
  warming.end()
})

it('lets a request wait for the sweep of the thread that is asked first, and for no other', async () => {
  const sweeping: (() => void)[] = []
  const sweep: Warmed<string>['sweep'] = (thread) =>
    thread === 1 ? new Promise<void>((resolve) => sweeping.push(resolve)) : nothing()
  const warming = warmWhileIdle([], { ...one, threads: () => [1, 2], search: nothing, sweep }, soon)
  await warming.warm
  await warming.giveWay()
  await settled(() => sweeping.length === 1)
  let free = false
  const given = warming.giveWay().then(() => {
    free = true
  })
  await elapsed(20)
  expect(free).toBe(false)
  sweeping[0]?.()
  await given
  await warming.giveWay()
  warming.end()
})

it('searches no more once it is at an end', async () => {
  const seen: string[] = []
  const search = async (request: string) => {
    seen.push(request)
    warming.end()
  }
  const warming = warmWhileIdle(['a', 'b'], { ...one, search }, soon)
  await settled(() => seen.length === 1)
  await elapsed(20)
  expect(seen).toEqual(['a'])
})
