/** What the routes need of whoever answers requests: the best that there is when it is told to stop. */

import type { CalibrateRequest } from '../schemas/calibrate.ts'
import type { CollectiveRequest } from '../schemas/collective.ts'
import type { Comparison } from '../schemas/compare.ts'
import type { EvaluateAsked } from '../schemas/evaluate.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateAsked } from '../schemas/validate.ts'
import type { Reply } from '../worker/reply.ts'
import type { Telling } from '../worker/telling.ts'

/** What a search may take. */
export interface Terms {
  /** From its start; the wait for a free searcher is not in it. */
  readonly timeoutMs: number
  /** When it fires, the search answers the best so far; one that waits is not begun. */
  readonly signal: AbortSignal
  /** Who asks: threads are shared between clients. */
  readonly client?: string
  /** Whole, as JSON, where absent. */
  readonly tell?: Telling
}

export interface Searched<T> {
  readonly answer: T
  /** Until a searcher was free. */
  readonly waitedMs: number
  readonly elapsedMs: number
  /** Where it was told to stop before its end. */
  readonly cut?: boolean
  /** Where no search was begun for it: another who asks the same waits for one, or the answer was at hand. */
  readonly source?: 'shared' | 'kept'
}

/** All reject with a `SearchFailure`. */
export interface Search {
  optimize(request: OptimizeRequest, terms: Terms): Promise<Searched<Reply>>
  evaluate(request: EvaluateAsked, terms: Terms): Promise<Searched<Reply>>
  validate(request: ValidateAsked, terms: Terms): Promise<Searched<Reply>>
  calibrate(request: CalibrateRequest, terms: Terms): Promise<Searched<Reply>>
  compare(comparison: Comparison, terms: Terms): Promise<Searched<Reply>>
  collective(request: CollectiveRequest, terms: Terms): Promise<Searched<Reply>>
  readonly occupancy: () => Occupancy
}

export interface Occupancy {
  readonly running: number
  readonly waiting: number
}

/**
 * Why there is no answer: `full`, there was no room; `crowded`, none for more of this client; `left`, it was told to stop before it began, or did not; `overdue`, it was ended as
 * it did not stop by itself; `memory`, it needed more than it may have; `unavailable`, no searcher could be started.
 */
export type SearchEnd = 'full' | 'crowded' | 'left' | 'overdue' | 'memory' | 'unavailable'

export class SearchFailure extends Error {
  override readonly name = 'SearchFailure'
  readonly end: SearchEnd
  /** When there is likely to be room. */
  readonly retryAfterSeconds: number | undefined

  constructor(end: SearchEnd, message: string, options: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options)
    this.end = end
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
