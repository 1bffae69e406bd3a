/**
 * Sweeps the thread's heap, which V8 lets grow to a few times of what lives in it. It is asked for while nobody waits for the thread: what a
 * search leaves is given back then, and the next one is not interrupted for it.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { once } from '../../src/known.ts'

/** Bytes that were in use after the last sweep. */
let left = 0

/** If more than this many bytes have come since the last time. */
export function sweep(grownBytes = 0): void {
  if (getHeapStatistics().used_heap_size - left < grownBytes) return
  // What lives lies on a few objects a page of what has gone, and all of these pages would stay.
  setFlagsFromString('--compact-on-every-full-gc')
  collector()(Object, Array, Function)
  setFlagsFromString('--no-compact-on-every-full-gc')
  left = getHeapStatistics().used_heap_size
}

/**
 * Called with the constructors of literals, which then lie on the stack, and so are the first that the collector finds to live. It asks whether they do
 * when it decides which shapes of objects to keep, of which there are none at the time, and before it has looked further; code that was optimised for a shape
 * that is not kept is thrown away, which is that of half the search.
 */
const collector = once((): ((...constructors: readonly unknown[]) => readonly unknown[]) => {
  // Only contexts that are made after this flag have V8's collector as a function.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return (...constructors) => {
    collect()
    return constructors
  }
})
