/** Answers in this process and on this thread: nothing else waits for it, and a signal ends both. */
import { performance } from 'node:perf_hooks'
import type { Asked } from '../queue/search.ts'
import { asked } from '../validation/asked.ts'
import { createFlags, type Errand } from '../worker/errand.ts'
import { type Reply, textOf, writtenOf } from '../worker/reply.ts'
import * as worker from '../worker/search-worker.ts'
import { type Answers, type Asker, askerOf } from './asker.ts'
import type { Begin } from './progress.ts'

/** Answers as they would be sent over HTTP. */
export function inProcess(begin: Begin): Asker {
  const answered = <Name extends keyof Answers>(task: Name, subject: Asked[Name]): Answers[Name] => {
    const { timeoutMs } = subject
    const work: (errand: Errand<Asked[Name]>) => Reply = tasks[task]
    const began = performance.now()
    const { tick, end } = begin()
    try {
      const written = writtenOf(work({ subject, timeoutMs, flags: createFlags(), tick }))
      const times = { elapsedMs: performance.now() - began, waitedMs: 0 }
      return JSON.parse(Buffer.concat(textOf(written, times)).toString()) as Answers[Name]
    } finally {
      end()
    }
  }
  return askerOf((task) => async (body) => answered(task, asked[task](body)))
}

const tasks: { readonly [Name in keyof Answers]: (errand: Errand<Asked[Name]>) => Reply } = worker
