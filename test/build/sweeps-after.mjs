/** In a thread, asks one question again and again, and then sweeps its heap, twice; each sweep follows a line of its own, and another one comes after it. */

import { writeSync } from 'node:fs'
import { isMainThread, Worker } from 'node:worker_threads'
import { firstSearches } from '../../dist/api/warm-up.js'
import { createFlags } from '../../dist/api/worker/errand.js'
import { optimize } from '../../dist/api/worker/search-worker.js'
import { sweep } from '../../dist/api/worker/sweep.js'
import { forgetAll } from '../../dist/src/recent.js'

/** At once, as V8 says what it does. */
const say = (what) => writeSync(1, `\n${what}\n`)

function ask(times) {
  for (let turn = 0; turn < times; turn++)
    for (const subject of firstSearches) optimize({ subject, timeoutMs: 60_000, flags: createFlags() })
}

if (isMainThread) new Worker(new URL(import.meta.url))
else {
  ask(12)
  forgetAll()
  for (let turn = 0; turn < 2; turn++) {
    say('sweep')
    sweep()
    say('swept')
  }
}
