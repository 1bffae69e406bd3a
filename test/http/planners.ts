/** Stand-ins for the search, so that the edge can be seen to wait, refuse and fail. */

import type { Answer, Question, Trial, Verdict } from '../../api/question.ts'
import { QueueFull, type Search } from '../../api/search.ts'
import { sampleEvaluateAnswer, sampleOptimizeAnswer } from './sample-answer.ts'
import { sampleEvaluation, sampleInferenceAnswer, sampleServeAnswer } from './sample-inference-answer.ts'

const idle = () => ({ running: 0, waiting: 0 })

export interface Heard {
  problem?: Question['problem']
  sketch?: Trial['sketch']
}

/** Answers at once, and keeps what it was asked. */
export function answering(heard: Heard = {}, optimized?: Answer, evaluated?: Verdict): Search {
  return {
    occupancy: idle,
    optimize: async ({ mode, problem }) => {
      heard.problem = problem
      return optimized ?? answerOf(mode)
    },
    evaluate: async ({ mode, problem, sketch }) => {
      heard.problem = problem
      heard.sketch = sketch
      return evaluated ?? (mode === 'train' ? sampleEvaluateAnswer : sampleEvaluation)
    },
  }
}

function answerOf(mode: Question['mode']): Answer {
  if (mode === 'train') return sampleOptimizeAnswer
  return mode === 'serve' ? sampleServeAnswer : sampleInferenceAnswer
}

export interface Patience {
  started: number
  aborted: number
}

/** Never answers; stops when told to. */
export function endless(seen: Patience = { started: 0, aborted: 0 }): Search {
  const wait = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      seen.started++
      signal.addEventListener('abort', () => {
        seen.aborted++
        reject(new Error('The task has been aborted'))
      })
    })
  return {
    occupancy: idle,
    optimize: (_question, signal) => wait(signal),
    evaluate: (_trial, signal) => wait(signal),
  }
}

export function answeringAfter(ms: number): Search {
  const later = <T>(answer: T) => new Promise<T>((resolve) => setTimeout(() => resolve(answer), ms))
  return {
    occupancy: idle,
    optimize: () => later(sampleOptimizeAnswer),
    evaluate: () => later(sampleEvaluateAnswer),
  }
}

export function failing(error: Error): Search {
  return { occupancy: idle, optimize: () => Promise.reject(error), evaluate: () => Promise.reject(error) }
}

export const full: Search = failing(new QueueFull('full'))
