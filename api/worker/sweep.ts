/**
 * Sweeps the thread's heap, which V8 lets grow to a few times of what lives in it. It is asked for while nobody waits for the thread: what a
 * search leaves is given back then, and the next one is not interrupted for it.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { once } from '../../src/known.ts'

export function sweep(): void {
  collector()()
}

/** Only contexts that are made after this flag have V8's collector as a function. */
const collector = once((): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})
