/** Searches that come one at a time have the same thread; warming up has the thread that it asks for. */
import { EventEmitter } from 'node:events'
import { queueOptionsSymbol } from 'piscina'
import { expect, it } from 'vitest'
import { forThread, oldestIdle, startedThreads } from '../../../api/queue/threads.ts'

const idle = (id: number) => ({ id, currentUsage: 0 })
const busy = (id: number) => ({ id, currentUsage: Number.POSITIVE_INFINITY })
const anybody = { [queueOptionsSymbol]: null }

it('gives a search to the oldest thread that is idle', () => {
  expect(oldestIdle(anybody, [idle(1), idle(2)])?.id).toBe(1)
  expect(oldestIdle(anybody, [busy(1), idle(2), idle(3)])?.id).toBe(2)
  expect(oldestIdle(anybody, [busy(1)])).toBeNull()
})

it('gives a search for one thread to no other, though they are idle', () => {
  expect(oldestIdle(forThread(2), [idle(1), idle(2)])?.id).toBe(2)
  expect(oldestIdle(forThread(2), [idle(1), busy(2)])).toBeNull()
})

it('knows the threads that have started and were not ended, the oldest first', () => {
  const workers = new EventEmitter()
  const threads = startedThreads(workers as unknown as Parameters<typeof startedThreads>[0])
  for (const id of [3, 1, 2]) workers.emit('workerCreate', { id })
  workers.emit('workerDestroy', { id: 1 })
  workers.emit('workerCreate', { id: 4 })
  expect(threads()).toEqual([3, 2, 4])
})
