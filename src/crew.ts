/**
 * Who does the work of an answer. A list of jobs, none of which hangs on another, may be done by whoever is there: alone one after the
 * other, or shared out between threads (api/worker/crew.ts), each of which asks the same question and comes to the same lists in the same
 * order. What comes of a job hangs on the job alone, so that an answer is the same however many there are.
 */
import type { Stop } from './patience.ts'

export interface Shared<Job, Done> {
  /** Another thread tells what came of a job as plain data: what is known here, or one object in many places, is put back. */
  readonly restored?: (done: Done, job: Job) => Done
  /** Whether no more time is left to wait for others. */
  readonly stop?: Stop
  /** Only who leads wants to know what came of them: there is nothing left for others to do. */
  readonly last?: boolean
}

export type Beside<Done> = Pick<Shared<null, Done>, 'restored' | 'stop'>

export interface Crew {
  /** What came of each job, in their order. */
  readonly all: <Job, Done>(
    jobs: readonly Job[],
    work: (job: Job) => Done,
    shared?: Shared<Job, Done>,
  ) => readonly Done[]
  /** A job of which nothing is asked before later, and perhaps never: done by whoever has nothing else to do, else when it is asked for. */
  readonly beside: <Done>(work: () => Done, shared?: Beside<Done>) => () => Done
}

export const alone: Crew = { all: (jobs, work) => jobs.map((job) => work(job)), beside: once }

/** So many at a time, where each is little work. */
export function inBlocks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const blocks: (readonly Item[])[] = []
  for (let at = 0; at < items.length; at += size) blocks.push(items.slice(at, at + size))
  return blocks
}

function once<Done>(work: () => Done): () => Done {
  let done: { readonly value: Done } | undefined
  return () => {
    done ??= { value: work() }
    return done.value
  }
}
