/** What the routes need of a planner: asked for an answer, it gives the best that it has when it is told to stop. */
import type { Answer, Question, Trial, Verdict } from './question.ts'

/** What a search may take. */
export interface Terms {
  /** From its start; the wait for a free searcher is not in it. */
  readonly timeoutMs: number
  /** When it fires, the search answers the best so far; one that waits is not begun. */
  readonly signal: AbortSignal
}

export interface Searched<T> {
  readonly answer: T
  /** Until a searcher was free. */
  readonly waitedMs: number
  readonly elapsedMs: number
}

/** All reject with a `SearchFailure`. */
export interface Search {
  optimize(question: Question, terms: Terms): Promise<Searched<Answer>>
  evaluate(trial: Trial, terms: Terms): Promise<Searched<Verdict>>
  readonly occupancy: () => Occupancy
}

export interface Occupancy {
  readonly running: number
  readonly waiting: number
}

/**
 * Why there is no answer: `full`, there was no room; `left`, it was told to stop before it began, or did not; `overdue`, it was ended as
 * it did not stop by itself; `memory`, it needed more than it may have; `unavailable`, no searcher could be started.
 */
export type SearchEnd = 'full' | 'left' | 'overdue' | 'memory' | 'unavailable'

export class SearchFailure extends Error {
  override readonly name = 'SearchFailure'
  readonly end: SearchEnd

  constructor(end: SearchEnd, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.end = end
  }
}
