/** What the routes need of a planner: asked for an answer, it gives one, or stops when told to. */
import type { Answer, Question, Trial, Verdict } from './question.ts'

export interface Search {
  /** Both reject with an AbortError when the signal fires, and with QueueFull when there is no room. */
  optimize(question: Question, signal: AbortSignal): Promise<Answer>
  evaluate(trial: Trial, signal: AbortSignal): Promise<Verdict>
  readonly occupancy: () => Occupancy
}

export interface Occupancy {
  readonly running: number
  readonly waiting: number
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}
