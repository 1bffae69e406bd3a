/** A search for a request: stopped when nobody waits for it any more, with its failures turned into problems that name the cause. */
import type { Response } from 'express'
import { ProblemError } from '../problems.ts'
import { type Searched, SearchFailure, type Terms } from './search.ts'

export interface Limits {
  readonly timeoutMs: number
  /** Fires when the service shuts down: searches then answer with what they have. */
  readonly stopping: AbortSignal
  readonly client: string
}

export async function beforeDeadline<Answer>(
  response: Response,
  { timeoutMs, stopping, client }: Limits,
  search: (terms: Terms) => Promise<Searched<Answer>>,
): Promise<Searched<Answer>> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  response.once('close', stop)
  stopping.addEventListener('abort', stop)
  if (stopping.aborted) stop()
  try {
    return await search({ timeoutMs, signal: controller.signal, client })
  } catch (error) {
    throw error instanceof SearchFailure ? problemOf(error, timeoutMs) : error
  } finally {
    response.off('close', stop)
    stopping.removeEventListener('abort', stop)
  }
}

function problemOf({ end, retryAfterSeconds = 2 }: SearchFailure, timeoutMs: number): ProblemError {
  switch (end) {
    case 'full':
      return new ProblemError('overloaded', 'All searchers are busy and the queue is full.', [], {
        'retry-after': String(retryAfterSeconds),
      })
    case 'crowded':
      return new ProblemError('too-many-requests', 'As many requests wait as may of one client.', [], {
        'retry-after': String(retryAfterSeconds),
      })
    case 'overdue':
      return timedOut(timeoutMs, 'no answer was ready')
    case 'memory':
      return new ProblemError('search-too-large', 'The search needs more memory than a searcher may have.')
    case 'unavailable':
      return new ProblemError('unavailable', 'No searcher could be started.', [], { 'retry-after': '5' })
    // Otherwise the client has gone, and nobody reads the answer.
    case 'left':
      return draining()
  }
}

/** The search ended before it found any plan. */
export function timedOut(timeoutMs: number, what: string): ProblemError {
  const detail = `${what} within ${timeoutMs} ms`
  return new ProblemError('timed-out', `/timeoutMs: ${detail}.`, [{ pointer: '/timeoutMs', detail }])
}

export function warmingUp(): ProblemError {
  const detail = 'This instance is warming up: it answers requests already, but the first of them late.'
  return new ProblemError('warming-up', detail, [], { 'retry-after': '2' })
}

export function draining(): ProblemError {
  return new ProblemError('draining', 'This instance is shutting down.', [], {
    'retry-after': '5',
    connection: 'close',
  })
}
