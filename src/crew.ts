/**
 * Who does the work of an answer. A list of jobs that do not depend on one another is done by one thread alone,
 * one job after the other, or is shared out between threads (api/worker/crew.ts), each of which asks the same
 * question and comes to the same lists in the same order. What comes of a job depends on the job alone, so an
 * answer is the same however many threads there are.
 */
import { once } from './known.ts'
import type { Stop } from './patience.ts'

export interface Shared<Job, Done> {
  /** Another thread returns its result as plain data: this puts back objects that are known here, or that are shared. */
  readonly restored?: (done: Done, job: Job) => Done
  /** Says when there is no time left to wait for other threads. */
  readonly stop?: Stop
  /** True when only the leading thread needs the results, because nothing is left for the others to do after this list. */
  readonly last?: boolean
}

export type Beside<Done> = Pick<Shared<null, Done>, 'restored' | 'stop'>

export interface Crew {
  /** The results of all jobs, in the order of the jobs. */
  readonly all: <Job, Done>(
    jobs: readonly Job[],
    work: (job: Job) => Done,
    shared?: Shared<Job, Done>,
  ) => readonly Done[]
  /** Takes a job whose result is asked for later, if ever: an idle thread does it, or else it is done when it is asked for. */
  readonly beside: <Done>(work: () => Done, shared?: Beside<Done>) => () => Done
}

export const alone: Crew = { all: (jobs, work) => jobs.map((job) => work(job)), beside: once }

/** Splits items into blocks of `size`, for lists where each item is too little work to be a job of its own. */
export function inBlocks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const blocks: (readonly Item[])[] = []
  for (let at = 0; at < items.length; at += size) blocks.push(items.slice(at, at + size))
  return blocks
}
