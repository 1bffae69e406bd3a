/** Threads are warmed up while nobody asks, and give way to requests. */
import { setTimeout as elapsed } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { warmWhileIdle } from '../../api/queue/warming.ts'

const settled = async (done: () => boolean) => {
  while (!done()) await elapsed(1)
}
const soon = { pauseMs: 1 }

it('searches one after another, while nobody asks', async () => {
  let busy = true
  const seen: string[] = []
  const search = async (request: string) => {
    expect(busy).toBe(false)
    seen.push(request)
  }
  const warming = warmWhileIdle(['a', 'b'], search, () => !busy, soon)
  await elapsed(20)
  expect(seen).toEqual([])
  busy = false
  await settled(() => seen.length === 2)
  expect(seen).toEqual(['a', 'b'])
  warming.end()
})

it('stops for whoever asks, and takes up again what it had not done', async () => {
  const seen: string[] = []
  const search = async (request: string, signal: AbortSignal) => {
    seen.push(request)
    if (seen.length > 1) return
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
    warming.giveWay()
    await stopped
  }
  const warming = warmWhileIdle(['a', 'b'], search, () => true, soon)
  await settled(() => seen.length === 3)
  expect(seen).toEqual(['a', 'a', 'b'])
  warming.end()
})

it('gives up what it had to stop too often', async () => {
  const seen: string[] = []
  const search = async (request: string) => {
    seen.push(request)
    if (request === 'a') warming.giveWay()
  }
  const warming = warmWhileIdle(['a', 'b'], search, () => true, { ...soon, mostTries: 3 })
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
  const warming = warmWhileIdle(['a', 'b'], search, () => true, soon)
  await settled(() => seen.length === 1)
  await elapsed(20)
  expect(seen).toEqual(['a'])
})
