/** A worker whose searches never end of themselves: some stop when they are told to, others only with their thread. */
import { getHeapSpaceStatistics } from 'node:v8'
import { threadId } from 'node:worker_threads'

export function optimize({ subject: { problem, until }, flags }) {
  Atomics.store(flags, 1, 1)
  if (problem === 'quick') return 'done'
  if (problem === 'thread') return threadId
  if (problem === 'young') return mostYoungMb()
  if (problem === 'yields' && Atomics.add(until, 0, 1) > 0) return 'whole'
  if (problem === 'yields') while (Atomics.load(flags, 0) === 0);
  if (problem === 'late') while (Atomics.load(until, 0) === 0) Atomics.add(flags, 3, 1)
  if (problem === 'cut' || problem === 'yields') {
    Atomics.store(flags, 2, 1)
    return 'best so far'
  }
  if (problem === 'crash') throw new Error('crashed')
  if (problem === 'exit') process.exit(3)
  if (problem === 'memory') for (const kept = []; ; ) kept.push(Array.from({ length: 1e5 }, Math.random))
  if (problem === 'late') return 'late'
  while (problem === 'spin' || Atomics.load(flags, 0) === 0);
  return 'best so far'
}

/** Of the same search: until it is told to leave, or not even then. */
export function help({ subject: { problem, helper }, flags }) {
  if (helper === 'crash') throw new Error('crashed')
  while (helper === 'spin' || (problem === 'polite' && Atomics.load(flags, 0) === 0));
}

/** How large the young generation gets while much is made that lives for a while. */
function mostYoungMb() {
  let most = 0
  let held = []
  for (let made = 0; made < 2e6; made++) {
    held.push({ made })
    if (held.length > 2e5) held = []
    if (made % 1e5 > 0) continue
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    most = Math.max(most, (young?.space_size ?? 0) / 2 ** 20)
  }
  return most
}
