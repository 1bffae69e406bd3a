/** The requests that the benchmarks ask, as a client would send them. */
import type { Problem } from '../../src/problem.ts'
import { loadCatalogue, optimizeRequest, problemOf } from './built.ts'

const llama70b = {
  model: 'llama-3-70b',
  hardware: { chip: 'tpu-v5p', topology: [16, 20, 28] },
  workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
}

const training = (batchTokens: number, sequenceLength = 8192) => ({
  mode: 'train',
  batchTokens,
  sequenceLength,
})

const deepseek = { model: 'deepseek-v3', workload: training(15_360 * 4096, 4096) }

const llama405b = (chips: number) => ({
  model: 'llama-3.1-405b',
  hardware: { chip: 'h100-sxm', chips },
  workload: training(16_777_216),
})

const questions = {
  '8B, 64 H100': {
    model: 'llama-3-8b',
    hardware: { chip: 'h100-sxm', chips: 64 },
    workload: training(4_194_304),
  },
  'GPT-3, 512 A100': {
    model: 'gpt-3-175b',
    hardware: { chip: 'a100-80g-sxm', chips: 512 },
    workload: training(1536 * 2048, 2048),
  },
  '70B, v5p pod, book': { ...llama70b, assumptions: 'book' },
  '70B, v5p pod, calibrated': { ...llama70b, assumptions: 'calibrated' },
  '405B, 1024 H100': llama405b(1024),
  '405B, 16384 H100': llama405b(16_384),
  '405B, 131072 H100': llama405b(131_072),
  'DeepSeek-V3, 2048 H800': { ...deepseek, hardware: { chip: 'h800-sxm', chips: 2048 } },
  'DeepSeek-V3, 576 GB200': { ...deepseek, hardware: { chip: 'gb200-nvl72', chips: 576 } },
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
