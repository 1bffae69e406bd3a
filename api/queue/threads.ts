/**
 * Which thread is given a search: the oldest that is idle. So one thread answers all that comes one at a time, and V8 soon has
 * compiled what it needs there, while the others stay small. Warming up alone asks for a thread by its number.
 */
import { type Piscina, type PiscinaTask, queueOptionsSymbol } from 'piscina'

interface Thread {
  readonly id: number
  readonly currentUsage: number
}

type Asked = Pick<PiscinaTask, typeof queueOptionsSymbol>

export function oldestIdle<Idle extends Thread>(task: Asked, threads: readonly Idle[]): Idle | null {
  const { thread } = (task[queueOptionsSymbol] ?? {}) as { readonly thread?: number }
  const idle = threads.filter(({ currentUsage }) => currentUsage === 0)
  return idle.find(({ id }) => thread === undefined || id === thread) ?? null
}

/** Part of a task that only one thread is to have. */
export function forThread(thread: number) {
  return { [queueOptionsSymbol]: { thread } }
}

/** Numbers of the threads that have started, the oldest first. */
export function startedThreads(workers: Pick<Piscina, 'on'>): () => readonly number[] {
  const started = new Set<number>()
  workers.on('workerCreate', ({ id }: Thread) => started.add(id))
  workers.on('workerDestroy', ({ id }: Thread) => started.delete(id))
  return () => [...started]
}
