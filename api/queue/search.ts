/** What routes need of whoever answers requests. A search that is told to stop answers with the best found so far. */
import type { CalibrateRequest } from '../schemas/calibrate.ts'
import type { CollectiveRequest } from '../schemas/collective.ts'
import type { Comparison } from '../schemas/compare.ts'
import type { EvaluateAsked } from '../schemas/evaluate.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateAsked } from '../schemas/validate.ts'
import type { Reply } from '../worker/reply.ts'
import type { Telling } from '../worker/telling.ts'

/** Conditions of a search. */
export interface Terms {
  /** Counted from its start; the wait for a free thread is not included. */
  readonly timeoutMs: number
  /** When it fires, the search answers with the best found so far; one that still waits is not started. */
  readonly signal: AbortSignal
  /** Who asks, as threads are shared between clients. */
  readonly client?: string
  /** The form of the answer; complete JSON if absent. */
  readonly tell?: Telling
}

export interface Searched<T> {
  readonly answer: T
  /** Time until a thread was free. */
  readonly waitedMs: number
  readonly elapsedMs: number
  /** Whether it was told to stop before its end. */
  readonly cut?: boolean
  /** Set if no search was started: the same search was already running, or its answer was stored. */
  readonly source?: 'shared' | 'kept'
}

/** What each task is asked. */
export interface Asked {
  readonly optimize: OptimizeRequest
  readonly evaluate: EvaluateAsked
  readonly validate: ValidateAsked
  readonly calibrate: CalibrateRequest
  readonly compare: Comparison
  readonly collective: CollectiveRequest
}

export type Task = keyof Asked

const tasks: readonly Task[] = ['optimize', 'evaluate', 'validate', 'calibrate', 'compare', 'collective']

/** Rejects with a `SearchFailure`. */
export type Ask<Name extends Task> = (subject: Asked[Name], terms: Terms) => Promise<Searched<Reply>>

export type Asks = { readonly [Name in Task]: Ask<Name> }

export interface Search extends Asks {
  readonly occupancy: () => Occupancy
}

export function forEachTask(ask: <Name extends Task>(task: Name) => Ask<Name>): Asks {
  return Object.fromEntries(tasks.map((task) => [task, ask(task)])) as unknown as Asks
}

export interface Occupancy {
  readonly running: number
  readonly waiting: number
}

/**
 * Why there is no answer: `full`, there was no room in the queue; `crowded`, no more room for this client; `left`, it
 * was told to stop before it began, or it did not stop in time after the client left; `overdue`, it was ended because
 * it did not stop by itself; `memory`, it needed more than allowed; `unavailable`, no thread could be started.
 */
export type SearchEnd = 'full' | 'crowded' | 'left' | 'overdue' | 'memory' | 'unavailable'

export class SearchFailure extends Error {
  override readonly name = 'SearchFailure'
  readonly end: SearchEnd
  /** Seconds until there will probably be room. */
  readonly retryAfterSeconds: number | undefined

  constructor(end: SearchEnd, message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options)
    this.end = end
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
