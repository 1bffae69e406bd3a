/** Stand-ins for the search, to see the edge wait, reject and fail. */

import { loadCatalogue } from '../../api/catalogue.ts'
import {
  type Search,
  type SearchEnd,
  type Searched,
  SearchFailure,
  type Terms,
} from '../../api/queue/search.ts'
import { calibrateBody } from '../../api/worker/calibration.ts'
import {
  collectiveBody,
  evaluateBody,
  evaluateQuestion,
  optimizeBody,
  optimizeQuestion,
  validateBody,
  validateQuestion,
} from '../../api/worker/desk.ts'
import { replied } from '../../api/worker/reply.ts'
import type { Costs } from '../../api/worker/told-in-file.ts'
import type { Answer, Inspection, Question, Trial, Verdict } from '../../src/modes/question.ts'
import { never } from '../../src/patience.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { Validation } from '../../src/validate.ts'
import { sampleEvaluateAnswer, sampleOptimizeAnswer, sampleValidation } from './sample-answer.ts'
import { sampleEvaluation, sampleInferenceAnswer, sampleServeAnswer } from './sample-inference-answer.ts'

/** Asked a question that a request was made into; the pool's workers have all of it in one thread. */
export interface Planner {
  readonly optimize: (question: Question, terms: Terms) => Promise<Searched<Answer>>
  readonly evaluate: (trial: Trial, terms: Terms) => Promise<Searched<Verdict>>
  readonly validate: (inspection: Inspection, terms: Terms) => Promise<Searched<Validation<Plan | ServePlan>>>
}

export const catalogue = loadCatalogue()

/** Requests are translated as in a worker, and what a planner says of them told. */
export function atDesk({ optimize, evaluate, validate }: Planner, costs?: Costs): Search {
  return {
    occupancy: () => ({ running: 0, waiting: 0 }),
    optimize: async (request, terms) => {
      const asked = optimizeQuestion(request, catalogue)
      const { answer, ...times } = await optimize(asked, terms)
      return { ...times, answer: replied(() => optimizeBody(request, asked, answer), { timed: true }) }
    },
    evaluate: async (request, terms) => {
      const asked = evaluateQuestion(request, catalogue)
      const { answer, ...times } = await evaluate(asked.trial, terms)
      return { ...times, answer: replied(() => evaluateBody(asked, answer, undefined, costs)) }
    },
    validate: async (request, terms) => {
      const asked = validateQuestion(request, catalogue)
      const { answer, ...times } = await validate(asked.inspection, terms)
      return { ...times, answer: replied(() => validateBody(asked, answer, costs)) }
    },
    calibrate: async (request) => atOnce(replied(() => calibrateBody(request, catalogue, never))),
    compare: async () => {
      throw new Error('Comparisons are worked out by a planner that searches')
    },
    collective: async (request) => atOnce(replied(() => collectiveBody(request, catalogue))),
  }
}

const atOnce = <T>(answer: T): Searched<T> => ({ answer, waitedMs: 0, elapsedMs: 1 })

export interface Heard {
  problem?: Question['problem']
  sketch?: Trial['sketch']
}

/** Answers at once, and keeps what it was asked. */
export function answering(heard: Heard = {}, optimized?: Answer, evaluated?: Verdict): Search {
  return atDesk({
    optimize: async ({ mode, problem }) => {
      heard.problem = problem
      return atOnce(optimized ?? answerOf(mode))
    },
    evaluate: async ({ mode, problem, sketch }) => {
      heard.problem = problem
      heard.sketch = sketch
      return atOnce(evaluated ?? (mode === 'train' ? sampleEvaluateAnswer : sampleEvaluation))
    },
    validate: async ({ trial: { problem, sketch } }) => {
      heard.problem = problem
      heard.sketch = sketch
      return atOnce(sampleValidation)
    },
  })
}

function answerOf(mode: Question['mode']): Answer {
  if (mode === 'train') return sampleOptimizeAnswer
  return mode === 'serve' ? sampleServeAnswer : sampleInferenceAnswer
}

export interface Patience {
  started: number
  aborted: number
}

/** Never answers; is ended when its time is over, or it is told to stop. */
export function endless(seen: Patience = { started: 0, aborted: 0 }): Search {
  const wait = ({ timeoutMs, signal }: Terms) =>
    new Promise<never>((_resolve, reject) => {
      seen.started++
      const end = (how: SearchEnd) => {
        clearTimeout(timer)
        seen.aborted++
        reject(new SearchFailure(how, 'ended'))
      }
      const timer = setTimeout(() => end('overdue'), timeoutMs)
      signal.addEventListener('abort', () => end('left'))
    })
  return atDesk({
    optimize: (_question, terms) => wait(terms),
    evaluate: (_trial, terms) => wait(terms),
    validate: (_inspection, terms) => wait(terms),
  })
}

export function answeringAfter(ms: number, seen = { started: 0 }): Search {
  const later = <T>(answer: T) => {
    seen.started++
    return new Promise<Searched<T>>((resolve) => setTimeout(() => resolve(atOnce(answer)), ms))
  }
  return atDesk({
    optimize: () => later(sampleOptimizeAnswer),
    evaluate: () => later(sampleEvaluateAnswer),
    validate: () => later(sampleValidation),
  })
}

export function failing(error: Error): Search {
  const fail = () => Promise.reject(error)
  return atDesk({ optimize: fail, evaluate: fail, validate: fail })
}

export const endingWith = (end: SearchEnd): Search => failing(new SearchFailure(end, end))

export const full: Search = endingWith('full')
