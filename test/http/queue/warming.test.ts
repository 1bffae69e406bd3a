/** Threads are warmed up while nobody asks, and give way to requests. */
import { setTimeout as elapsed } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Warmed, warmWhileIdle } from '../../../api/queue/warming.ts'

const settled = async (done: () => boolean) => {
  while (!done()) await elapsed(1)
}
const soon = { pauseMs: 1, quietMs: 0 }
const one = { threads: () => [1], isIdle: () => true }

it('searches one after another, while nobody asks, on one thread after another', async () => {
  let busy = true
  const seen: string[] = []
  const search: Warmed<string>['search'] = async (request, thread) => {
    expect(busy).toBe(false)
    seen.push(request + thread)
  }
  const warming = warmWhileIdle(['a', 'b'], { threads: () => [1, 2], search, isIdle: () => !busy }, soon)
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
