/** The requests that the benchmarks ask, as a client would send them. */

import { loadCatalogue } from '../../api/catalogue.ts'
import { type OptimizeRequest, optimizeRequest } from '../../api/schemas/optimize.ts'
import { problemOf } from '../../api/translate/problem.ts'
import type { Question } from '../../src/modes/question.ts'
import type { Problem } from '../../src/problem.ts'

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

const deployed = (model: string, chip: string, chips: number, workload: object) => ({
  model,
  hardware: { chip, chips },
  workload,
})

const ofTraining = {
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

const generated = { mode: 'generate', batchSequences: 'max', contextLength: 8192 }
const served = { mode: 'serve', promptLength: 2048, outputLength: 512 }

const ofInference = {
  'Generate, 70B, 8 H100': deployed('llama-3-70b', 'h100-sxm', 8, generated),
  'Generate, 405B, 256 H100': deployed('llama-3.1-405b', 'h100-sxm', 256, generated),
  'Prefill, DeepSeek-V3, 32 H200': deployed('deepseek-v3', 'h200-sxm', 32, {
    ...{ mode: 'prefill', batchSequences: 32, promptLength: 4096 },
  }),
  'Serve, 70B, 64 H100': deployed('llama-3-70b', 'h100-sxm', 64, served),
  'Serve, 70B, 256 H100': deployed('llama-3-70b', 'h100-sxm', 256, served),
  'Serve, DeepSeek-V3, 64 H200': deployed('deepseek-v3', 'h200-sxm', 64, served),
}

const inChips = Object.fromEntries(
  [64, 512, 4096, 32_768, 131_072].map((chips) => [
    `70B on ${chips} H100`,
    { model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips }, workload: training(16_777_216) },
  ]),
)

const inLayers = Object.fromEntries(
  [16, 32, 64, 128].map((layers) => [
    `${layers} layers as of 70B, 512 H100`,
    {
      model: {
        ...{ layers, dModel: 8192, dFf: 28_672, heads: 64, kvHeads: 8, headDim: 128, vocab: 128_256 },
        ...{ gatedMlp: true, tiedEmbeddings: false },
      },
      ...{ hardware: { chip: 'h100-sxm', chips: 512 }, workload: training(4_194_304) },
    },
  ]),
)

const questions: Readonly<Record<string, object>> = {
  ...ofTraining,
  ...ofInference,
  ...inChips,
  ...inLayers,
}

/** By what is to be seen of them. */
export const questionNames = {
  training: Object.keys(ofTraining),
  inference: Object.keys(ofInference),
  growth: [...Object.keys(inChips), ...Object.keys(inLayers)],
}

const catalogue = loadCatalogue()

export function bodyNamed(name: string): object {
  const body = questions[name]
  if (!body) throw new RangeError(`There is no question ${name}`)
  return body
}

/** As somebody asks who drags a slider: each answer is for what was not asked about before. */
export function bodyOfTurn(name: string, turn: number): object {
  const body = bodyNamed(name)
  const { workload } = optimizeRequest.parse(body)
  return { ...body, workload: slid(workload, turn) }
}

/** By eighths of the first batch or length; of a deployment at another rate. */
function slid(workload: OptimizeRequest['workload'], turn: number): object {
  const grown = (number: number) => (number / 8) * (8 + turn)
  switch (workload.mode) {
    case 'train':
      return { ...workload, batchTokens: grown(workload.batchTokens ?? 1) }
    case 'generate':
      return { ...workload, contextLength: grown(workload.contextLength) }
    case 'prefill':
      return { ...workload, promptLength: grown(workload.promptLength) }
    case 'serve':
      return { ...workload, requestsPerSecond: 2 + turn }
  }
}

export function questionNamed(name: string): Question {
  return problemOf(optimizeRequest.parse(bodyNamed(name)), catalogue)
}

export function problemNamed(name: string): Problem {
  const question = questionNamed(name)
  if (question.mode !== 'train') throw new Error(`${name} is no question of training`)
  return question.problem
}
