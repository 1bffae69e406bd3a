/**
 * Measures how much a thread does as a number that does not depend on the machine: the blocks of code that it runs
 * (V8's precise coverage), including loops and calls. Native code such as JSON.parse counts nothing, and for functions
 * that ran before counting began only calls are seen.
 */
import { type Profiler, Session } from 'node:inspector'

export interface Work {
  /** Of files whose address has this in it. */
  readonly within: (address: RegExp) => number
}

export interface Counter {
  /** Since the last time that it was asked. */
  readonly take: () => Work
  readonly close: () => void
}

export function countWork(): Counter {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    take: () => {
      let scripts: readonly Profiler.ScriptCoverage[] = []
      // The callback is called before `post` returns: the session is of this thread.
      session.post('Profiler.takePreciseCoverage', (error, { result }) => {
        if (error) throw error
        scripts = result
      })
      return {
        within: (address) =>
          scripts.reduce((sum, script) => sum + (address.test(script.url) ? blocksOf(script) : 0), 0),
      }
    },
    close: () => {
      session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

function blocksOf({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0)
}
