/** The requests that the benchmarks ask, as a client would send them. */
import type { Problem } from '../../src/problem.ts'
import { loadCatalogue, optimizeRequest, problemOf } from './built.ts'

const llama70b = {
  model: 'llama-3-70b',
  hardware: { chip: 'tpu-v5p', topology: [16, 20, 28] },
  workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
}

const questions = {
  '70B, v5p pod, book': { ...llama70b, assumptions: 'book' },
  '70B, v5p pod, calibrated': { ...llama70b, assumptions: 'calibrated' },
  '405B, 16384 H100, calibrated': {
    model: 'llama-3.1-405b',
    hardware: { chip: 'h100-sxm', chips: 16_384 },
    workload: { mode: 'train', batchTokens: 16_777_216, sequenceLength: 8192 },
  },
}

export type QuestionName = keyof typeof questions

export const questionNames = Object.keys(questions) as readonly QuestionName[]

export function isQuestion(name: string | undefined): name is QuestionName {
  return name !== undefined && Object.hasOwn(questions, name)
}

const catalogue = loadCatalogue()

export function problemNamed(name: QuestionName): Problem {
  const question = problemOf(optimizeRequest.parse(questions[name]), catalogue)
  if (question.mode !== 'train') throw new Error(`${name} is no question of training`)
  return question.problem
}
